-- Decision 0730: add nothing to an account that is being erased.

-- Work that began before its account was closed may end after the erasure: what it adds then would stay. So would what is added to an
-- account whose wallet has joined another one. Both are waited for by this lock, and wait for it.
create or replace function account.refuse_addition() returns trigger language plpgsql as $$
declare
  _owner svc.account;
begin
  select * into _owner from svc.account where id = new.account_id for key share;
  if _owner.closed_at is not null or _owner.moved_to is not null then
    raise exception 'ACCOUNT_SUSPENDED' using errcode = 'SVC01';
  end if;
  return null;
end $$;

-- What background work adds belongs to the account that the wallet has joined meanwhile.
create or replace function account.assign_owner() returns trigger language plpgsql as $$
declare
  _owner svc.account;
begin
  select * into _owner from svc.account where id = new.account_id for key share;
  if _owner.moved_to is not null then
    new.account_id := _owner.moved_to;
    select * into _owner from svc.account where id = new.account_id for key share;
  end if;
  if _owner.closed_at is not null then
    raise exception 'ACCOUNT_SUSPENDED' using errcode = 'SVC01';
  end if;
  return new;
end $$;

-- Every table with rows of accounts has one of these triggers, but for the books and what is written under the lock of an account.
do $do$
declare
  _table text;
begin
  for _table in select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
      where c.relnamespace = 'svc'::regnamespace and c.relkind = 'r' and not c.relispartition
        and c.relname <> all ('{chunk,payment,checkout,job,idempotency,lane_rule,audit_entry,session,sign_in_link}')
        and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname in ('refuse_addition', 'assign_owner')) loop
    if _table = any ('{object,notification,screening}') then
      execute format('create trigger assign_owner before insert on svc.%I for each row
        execute function account.assign_owner()', _table);
    else
      execute format('create trigger refuse_addition after insert on svc.%I for each row
        execute function account.refuse_addition()', _table);
    end if;
  end loop;
end $do$;
