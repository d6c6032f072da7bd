-- Decision 0620: transfers of a month are in a table of their own.

-- Makes the tables of this month and of so many months ahead that are missing, in UTC. Calls go on meanwhile: the table is
-- filled with nothing when it is added to the others. Returns how many it made.
create or replace function ledger.open_months(_ahead integer) returns integer language plpgsql as $$
declare
  _this_month timestamp := date_trunc('month', now() at time zone 'utc');
  _starts_at timestamp;
  _made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('ledger.open_months'));
  loop
    select max(ends_at) at time zone 'utc' into _starts_at from svc.transfer_month;
    exit when _starts_at > _this_month + make_interval(months => _ahead);
    perform ledger.open_month('transfer_' || to_char(_starts_at, 'YYYY_MM'), _starts_at at time zone 'utc',
      (date_trunc('month', _starts_at) + interval '1 month') at time zone 'utc');
    _made := _made + 1;
  end loop;
  perform ledger.add_key(name) from svc.transfer_month;
  return _made;
end $$;

create or replace function ledger.open_month(_name text, _starts_at timestamptz, _ends_at timestamptz) returns void
language plpgsql as $$
begin
  execute format('create table svc.%I (like svc.transfer including defaults including constraints)', _name);
  perform ledger.add_key(_name);
  execute format('alter table svc.transfer attach partition svc.%I for values from (%L) to (%L)', _name, _starts_at, _ends_at);
  insert into svc.transfer_month (name, ends_at) values (_name, _ends_at);
end $$;

-- The key of the table of all months would have to contain the time, so each month has one of its own. The numbers come from one
-- sequence. A month that was restored from a backup has none yet.
create or replace function ledger.add_key(_name text) returns void language plpgsql as $$
begin
  if not exists (select from pg_index where indrelid = format('svc.%I', _name)::regclass and indisprimary) then
    execute format('alter table svc.%I add primary key (id)', _name);
  end if;
end $$;

-- A month that is over and was not frozen yet, an hour after its end, because a transaction writes its transfers with the time at
-- which it began.
create or replace function ledger.find_ended_month() returns text language sql stable as $$
  select name from svc.transfer_month where frozen_at is null and ends_at < now() - interval '1 hour' order by ends_at limit 1
$$;

-- Only if all of it is: a transaction that was open meanwhile keeps Postgres from freezing what it may still have to tell apart.
-- Such a month is tried again.
create or replace function ledger.mark_if_frozen(_name text) returns boolean language sql as $$
  with marked as (
    update svc.transfer_month set frozen_at = now()
    where name = _name
      and exists (select from pg_class where oid = format('svc.%I', _name)::regclass and relallvisible >= relpages)
    returning name
  )
  select exists (select from marked)
$$;

create or replace function ledger.check_months() returns table (rule text, subject text, detail text) language sql stable as $$
  select 'the transfers of the next month have a table', max(ends_at)::text, 'the last one ends then'
  from svc.transfer_month having max(ends_at) < now() + interval '1 month'
$$;
