-- Decision 0770: certify an erasure by what was counted.

-- The columns of the tables of accounts and products, without the partitions of a table.
create or replace function account.list_columns() returns table (oid oid, relname name, attname name) language sql stable as $$
  select c.oid, c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'svc'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and a.attnum > 0 and not a.attisdropped
$$;

-- The tables with records of the accounts `$1`, each with what says which ones: those that name one, and those that belong to such a
-- record.
create or replace function account.list_record_tables() returns table (oid oid, relname name, condition text)
language sql stable as $$
  with recursive named as (
    select c.oid, c.relname, 'account_id = any ($1)' collate "C" as condition
    from account.list_columns() c where c.attname = 'account_id'
  ), link as (
    select f.conrelid as child, o.attname as own, f.confrelid as parent, p.attname as other
    from pg_constraint f join pg_attribute o on o.attrelid = f.conrelid and o.attnum = f.conkey[1]
    join pg_attribute p on p.attrelid = f.confrelid and p.attnum = f.confkey[1]
    where f.contype = 'f' and cardinality(f.conkey) = 1
    union
    select c.oid, c.attname, p.oid, p.attname from account.list_columns() c
    join account.list_columns() p on c.attname = p.relname || '_id' and p.attname = 'id'
  ), kept as (
    select n.*, 1 as depth from named n
    union all
    select c.oid, c.relname, format('%I in (select %I from svc.%I where %s)', l.own, l.other, k.relname, k.condition), k.depth + 1
    from kept k join link l on l.parent = k.oid
    join account.list_columns() c on c.oid = l.child and c.attname = l.own
    where k.depth < 4 and c.oid not in (select oid from named)
  )
  select k.oid, k.relname, k.condition from kept k
$$;

-- How many records there are of some accounts, by table.
create or replace function account.count_records(_accounts uuid[]) returns jsonb language plpgsql stable as $$
declare
  _table record;
  _count bigint;
  _counts jsonb := '{}';
begin
  for _table in select * from account.list_record_tables() loop
    execute format('select count(*) from svc.%I where %s', _table.relname, _table.condition) into _count using _accounts;
    if _count > coalesce((_counts ->> _table.relname)::bigint, 0) then
      _counts := _counts || jsonb_build_object(_table.relname, _count);
    end if;
  end loop;
  return _counts;
end $$;

-- Those of some ids that are an account or one of its records.
create or replace function account.find_records(_account uuid, _ids uuid[]) returns uuid[] language plpgsql stable as $$
declare
  _table record;
  _some uuid[];
  _found uuid[] := array(select i from unnest(_ids) i where i = _account);
begin
  if cardinality(_ids) = 0 then
    return _found;
  end if;
  for _table in select t.* from account.list_record_tables() t join pg_attribute a on a.attrelid = t.oid
      where a.attname = 'id' and a.atttypid = 'uuid'::regtype loop
    execute format('select array_agg(id) from svc.%I where id = any ($2) and %s', _table.relname, _table.condition)
      into _some using array[_account], _ids;
    _found := _found || coalesce(_some, '{}');
  end loop;
  return _found;
end $$;

-- Notes what there is of an account that has been closed. One that broke off goes on, with the most that there was.
create or replace function account.begin_erasure(_account uuid) returns void language sql as $$
  insert into svc.erasure (id, accounts, found)
  select _account, a.ids, account.count_records(a.ids)
  from (select array_append(account.list_joined(_account), _account) as ids) a
  on conflict (id) do update set accounts = excluded.accounts, found = (select coalesce(jsonb_object_agg(m.key, m.most), '{}')
    from (select f.key, max(f.value::bigint) as most from (select * from jsonb_each_text(erasure.found)
      union all select * from jsonb_each_text(excluded.found)) f group by f.key) m)
  where erasure.ended_at is null
$$;

create or replace function account.count_erased_files(_account uuid, _files integer) returns void language sql as $$
  update svc.erasure set files = files + _files where id = _account
$$;

create or replace function account.end_erasure(_account uuid) returns void language sql as $$
  update svc.erasure set ended_at = now(), remaining = account.count_records(accounts) where id = _account and ended_at is null
$$;

-- What was erased of an account, once that has ended.
create or replace function account.read_erasure(_account uuid) returns json language sql stable as $$
  select json_build_object('accounts', e.accounts, 'beganAt', e.began_at, 'endedAt', e.ended_at, 'files', e.files,
    'removed', (select coalesce(json_object_agg(f.key, f.value::bigint - coalesce((e.remaining ->> f.key)::bigint, 0) order by f.key), '{}')
      from jsonb_each_text(e.found) f where f.value::bigint > coalesce((e.remaining ->> f.key)::bigint, 0)),
    'kept', e.remaining, 'certificate', e.certificate)
  from svc.erasure e where e.id = _account and e.ended_at is not null
$$;

-- Keeps what was signed; the first one stays. Returns it.
create or replace function account.certify_erasure(_account uuid, _certificate text) returns text language sql as $$
  update svc.erasure set certificate = coalesce(certificate, _certificate) where id = _account returning certificate
$$;
