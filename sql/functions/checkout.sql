create or replace function checkout.open(_id uuid, _account uuid, _provider text, _micros bigint) returns void language sql as $$
  insert into svc.checkout (id, account_id, provider, amount_micros) values (_id, _account, _provider, _micros)
$$;

create or replace function checkout.note(_id uuid, _reference text) returns void language sql as $$
  update svc.checkout set reference = _reference where id = _id
$$;

create or replace function checkout.read(_account uuid, _id uuid) returns json language sql stable as $$
  select json_build_object('id', id, 'provider', provider, 'amountMicros', amount_micros::text, 'paidAt', paid_at)
  from svc.checkout where id = _id and account_id = _account
$$;

-- Credits a checkout that was paid: once a checkout and once an event, however often it is told. `mismatch` is money that
-- is not what was asked for; a person has to look at it.
create or replace function checkout.pay(_id uuid, _provider text, _event text, _micros bigint, _reference text) returns text
language plpgsql as $$
declare
  _checkout svc.checkout;
begin
  select * into _checkout from svc.checkout where id = _id and provider = _provider for update;
  if not found then
    return 'unknown';
  elsif _checkout.amount_micros <> _micros then
    return 'mismatch';
  end if;
  insert into svc.billing_event (id, checkout_id) values (_event, _id) on conflict do nothing;
  if not found or _checkout.paid_at is not null then
    return 'repeat';
  end if;
  update svc.checkout set paid_at = now(), reference = coalesce(_reference, reference) where id = _id;
  perform account.credit(_checkout.account_id, _micros, case _provider when 'test' then 'TEST' else 'USD' end,
    _provider || ' ' || coalesce(_reference, _id::text));
  return 'paid';
end $$;
