create or replace function account.create(_id uuid, _name text, _is_test boolean) returns uuid language sql as $$
  insert into svc.account (id, name, is_test) values (_id, _name, _is_test) returning id
$$;

-- Whether the next new sign-in becomes the owner of an account that has no sign-in yet.
create or replace function account.await_owner(_account uuid, _is_open boolean) returns void language sql as $$
  update svc.account set awaits_owner = _is_open and not exists (select from svc.identity where account_id = _account)
    where id = _account
$$;

-- An account that awaits its owner; it belongs to the caller from then on.
create or replace function account.claim(_is_test boolean) returns uuid language sql as $$
  update svc.account set awaits_owner = false where id = (
    select id from svc.account where awaits_owner and is_test = _is_test limit 1 for no key update skip locked)
  returning id
$$;

-- Credits money from outside and returns the balance after it. A debt of the account is paid off first.
create or replace function account.credit(_account uuid, _micros bigint, _asset text, _reference text) returns bigint
language plpgsql as $$
declare _balance bigint;
begin
  perform account.note_asset(_account, _asset, (select balance_micros from svc.account where id = _account for no key update), _micros);
  update svc.account set balance_micros = balance_micros + _micros where id = _account returning balance_micros into _balance;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  insert into svc.transfer (account_id, kind, amount_micros, asset, reference)
    values (_account, 'topup', _micros, _asset, _reference);
  return _balance - payment.repay(_account, _balance);
end $$;

-- Credits money once for a reference. Returns what it was credited with before, and when, and moves nothing then.
create or replace function account.credit_once(_account uuid, _micros bigint, _reference text) returns json language plpgsql as $$
declare
  _earlier json;
begin
  perform from svc.account where id = _account for no key update;
  select json_build_object('amountMicros', t.amount_micros::text, 'at', t.created_at) into _earlier from svc.transfer t
    where t.account_id = _account and t.kind = 'topup' and t.reference = _reference order by t.id limit 1;
  if _earlier is null then
    perform account.credit(_account, _micros, 'USD', _reference);
  end if;
  return _earlier;
end $$;

-- Notes in which asset the larger part of an account's credit came in, as `_added` comes to what is `_kept`.
create or replace function account.note_asset(_account uuid, _asset text, _kept bigint, _added bigint) returns void language sql as $$
  update svc.account set credit_asset = _asset where id = _account and credit_asset <> _asset and _added > _kept
$$;

-- An erased account stays suspended. One whose erasure broke off can be used again.
create or replace function account.suspend(_account uuid, _suspended boolean) returns void language plpgsql as $$
begin
  update svc.account set suspended_at = case when _suspended then coalesce(suspended_at, now()) end,
      closed_at = case when _suspended then closed_at end
    where id = _account and (_suspended or erased_at is null);
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform pg_notify('changed', 'account');
end $$;

-- A debt is shown as a negative balance.
create or replace function account.read(_account uuid) returns json language sql stable as $$
  select json_build_object('id', id, 'name', name, 'isTest', is_test, 'balanceMicros', (balance_micros - debt_micros)::text,
    'heldMicros', held_micros::text, 'suspendedAt', suspended_at, 'erasedAt', erased_at, 'movedTo', moved_to,
    'createdAt', created_at)
  from svc.account where id = _account
$$;

-- The account of the test key, whoever has its key now.
create or replace function account.find_development() returns uuid language sql stable as $$
  select id from svc.account where is_test and name = 'development' and suspended_at is null order by created_at, id limit 1
$$;

create or replace function account.list(_limit integer, _offset integer) returns json language sql stable as $$
  select coalesce(json_agg(account.read(id)), '[]') from
    (select id from svc.account order by created_at desc, id limit _limit offset _offset) page
$$;
