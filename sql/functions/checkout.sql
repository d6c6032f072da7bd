-- Decision 0044: record money returned to a card as debt.

-- Opens a checkout. An account whose wallet is being linked to another one is waited for, and is refused afterwards.
create or replace function checkout.open(_id uuid, _account uuid, _provider text, _micros bigint) returns void
language plpgsql as $$
begin
  perform from svc.account where id = _account and suspended_at is null for key share;
  if not found then
    raise exception 'ACCOUNT_SUSPENDED' using errcode = 'SVC01';
  end if;
  insert into svc.checkout (id, account_id, provider, amount_micros) values (_id, _account, _provider, _micros);
end $$;

-- Locks the account of a checkout and then the checkout: accounts come before checkouts everywhere. When a wallet is linked
-- meanwhile, the checkout has moved to another account: then the first account is unlocked again by the exception, and that
-- of the new owner is locked instead.
create or replace function checkout.lock(_id uuid) returns svc.checkout language plpgsql as $$
declare
  _account uuid;
  _checkout svc.checkout;
begin
  loop
    begin
      select account_id into _account from svc.checkout where id = _id;
      perform from svc.account where id = _account for no key update;
      select * into _checkout from svc.checkout where id = _id for update;
      if _checkout.account_id is distinct from _account then
        raise exception 'the checkout has moved' using errcode = 'SVC02';
      end if;
      return _checkout;
    exception when sqlstate 'SVC02' then
      null;
    end;
  end loop;
end $$;

create or replace function checkout.note(_id uuid, _reference text) returns void language sql as $$
  update svc.checkout set reference = _reference where id = _id
$$;

create or replace function checkout.read(_account uuid, _id uuid) returns json language sql stable as $$
  select json_build_object('id', id, 'provider', provider, 'amountMicros', amount_micros::text, 'paidAt', paid_at)
  from svc.checkout where id = _id and account_id = _account
$$;

-- Credits a checkout that was paid. A checkout is credited once and an event is handled once, however often the provider
-- sends it. `mismatch` means that the amount is not the one that was asked for; an operator has to look at it.
create or replace function checkout.pay(_id uuid, _provider text, _event text, _micros bigint, _reference text) returns text
language plpgsql as $$
declare
  _checkout svc.checkout;
begin
  perform checkout.lock_payment(intent) from svc.checkout where id = _id and intent is not null;
  _checkout := checkout.lock((select id from svc.checkout where id = _id and provider = _provider));
  if _checkout.id is null then
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
  perform checkout.settle_early(_checkout);
  return 'paid';
end $$;

-- Records the id by which the provider's later events refer to the payment.
create or replace function checkout.note_intent(_id uuid, _intent text) returns void language sql as $$
  update svc.checkout set intent = _intent where id = _id and intent is null
$$;

-- Records that a checkout will not be paid. Returns false if it was paid or is not there.
create or replace function checkout.finish(_id uuid, _provider text, _how text) returns boolean language sql as $$
  with finished as (
    update svc.checkout set ended = _how where id = _id and provider = _provider and paid_at is null returning 1)
  select exists (select from finished)
$$;

-- Records how much of a payment one dispute, or all refunds of one charge, have returned to the payer, and takes that from the
-- account; what the account has spent already becomes a debt. Events come twice and in any order: the amount only grows, and
-- a dispute that was closed does not change any more. What is told before its payment is kept until the payment is known.
create or replace function checkout.reverse(_event text, _intent text, _subject text, _micros bigint, _is_closed boolean)
returns text language plpgsql as $$
declare
  _checkout svc.checkout := checkout.lock_payment(_intent);
begin
  if _checkout.paid_at is null then
    insert into svc.early_reversal as known (id, intent, reported_micros, is_closed) values (_subject, _intent, _micros, _is_closed)
      on conflict (id) do update set
        reported_micros = case when _is_closed then _micros else greatest(known.reported_micros, _micros) end,
        is_closed = _is_closed, told_at = now()
      where not known.is_closed;
    return 'unknown';
  end if;
  insert into svc.billing_event (id, checkout_id) values (_event, _checkout.id) on conflict do nothing;
  if not found then
    return 'repeat';
  end if;
  insert into svc.reversal as known (id, checkout_id, taken_micros, reported_micros, is_closed)
    values (_subject, _checkout.id, 0, _micros, _is_closed)
    on conflict (id) do update set
      reported_micros = case when _is_closed then _micros else greatest(known.reported_micros, _micros) end,
      is_closed = _is_closed, told_at = now()
    where not known.is_closed;
  if not found then
    return 'late';
  end if;
  perform checkout.settle(_checkout, _subject);
  return 'reversed';
end $$;

-- Locks the checkout that a payment is of, if it is known. Whoever records the payment waits, so that neither misses the other.
create or replace function checkout.lock_payment(_intent text) returns svc.checkout language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('card payment ' || _intent));
  return checkout.lock((select id from svc.checkout where intent = _intent));
end $$;

-- Takes what was reversed of a payment before it was known.
create or replace function checkout.settle_early(_checkout svc.checkout) returns void language plpgsql as $$
begin
  with early as (delete from svc.early_reversal where intent = _checkout.intent returning *)
  insert into svc.reversal (id, checkout_id, taken_micros, reported_micros, is_closed)
    select e.id, _checkout.id, 0, e.reported_micros, e.is_closed from early e;
  insert into svc.reversal (id, checkout_id, taken_micros, is_closed)
    select distinct r.charge, _checkout.id, 0, false from svc.card_refund r where r.intent = _checkout.intent
    on conflict (id) do nothing;
  perform checkout.settle(_checkout, '');
end $$;

-- Records one refund of a charge. One that failed, also weeks later, never becomes good again: its money is back with us, so
-- the account gets it. A refund whose payment is not known yet is kept until the payment is.
create or replace function checkout.note_refund(_refund text, _charge text, _intent text, _micros bigint, _is_failed boolean)
returns text language plpgsql as $$
declare
  _checkout svc.checkout := checkout.lock_payment(_intent);
begin
  insert into svc.card_refund as known (id, charge, intent, amount_micros, is_failed)
    values (_refund, _charge, _intent, _micros, _is_failed)
    on conflict (id) do update set is_failed = true, told_at = now() where excluded.is_failed and not known.is_failed;
  if not found then
    return 'repeat';
  elsif _checkout.paid_at is null then
    return 'unknown';
  end if;
  perform checkout.settle_charge(_checkout, _charge);
  return 'reversed';
end $$;

create or replace function checkout.settle_charge(_checkout svc.checkout, _charge text) returns void language plpgsql as $$
begin
  insert into svc.reversal (id, checkout_id, taken_micros, is_closed) values (_charge, _checkout.id, 0, false)
    on conflict (id) do nothing;
  perform checkout.settle(_checkout, _charge);
end $$;

-- What a dispute, or the refunds of a charge, claim of the payment. Neither the reported total nor the sum of the known
-- refunds is ever more than what was refunded in all, so the higher is nearest to it; of that, what failed is not claimed.
create or replace function checkout.claim(_reversal svc.reversal) returns bigint language sql stable as $$
  select (greatest(_reversal.reported_micros, coalesce(sum(amount_micros), 0))
    - coalesce(sum(amount_micros) filter (where is_failed), 0))::bigint
  from svc.card_refund where charge = _reversal.id
$$;

-- Takes from the account what the refunds and disputes of a checkout claim, at most the payment: first the one that changed,
-- then the others, which may have claimed more than was left.
create or replace function checkout.settle(_checkout svc.checkout, _subject text) returns void language plpgsql as $$
declare
  _reversal svc.reversal;
  _others bigint;
  _taken bigint;
begin
  for _reversal in select * from svc.reversal where checkout_id = _checkout.id order by id = _subject desc, id loop
    select coalesce(sum(taken_micros), 0) into _others from svc.reversal
      where checkout_id = _checkout.id and id <> _reversal.id;
    _taken := least(checkout.claim(_reversal), _checkout.amount_micros - _others);
    if _taken <> _reversal.taken_micros then
      update svc.reversal set taken_micros = _taken where id = _reversal.id;
      perform checkout.move(_checkout, _reversal.id, _taken - _reversal.taken_micros);
    end if;
  end loop;
end $$;

-- Takes money of a checkout out of its account, or puts it back if the amount is negative.
create or replace function checkout.move(_checkout svc.checkout, _subject text, _micros bigint) returns void language plpgsql as $$
declare
  _available bigint;
  _reference text := _checkout.provider || ' ' || _subject;
begin
  if _micros < 0 then
    perform account.credit(_checkout.account_id, -_micros, 'USD', _reference);
  elsif _micros > 0 then
    select least(balance_micros, _micros) into _available from svc.account where id = _checkout.account_id for no key update;
    update svc.account set balance_micros = balance_micros - _available, debt_micros = debt_micros + _micros - _available
      where id = _checkout.account_id;
    insert into svc.transfer (account_id, kind, amount_micros, reference)
      select _checkout.account_id, part.kind, part.amount, _reference
      from (values ('reversal'::svc.transfer_kind, _available), ('reversal_debt', _micros - _available)) part (kind, amount)
      where part.amount > 0;
  end if;
end $$;

-- The part of ledger.check_invariants that is about checkouts and their reversals.
create or replace function checkout.check_invariants() returns table (rule text, subject text, detail text)
language sql stable as $$
  select 'what came back of a checkout is in its entries', r.id, format('%s is not %s', r.taken_micros, coalesce(t.taken, 0))
    from svc.reversal r join svc.checkout c on c.id = r.checkout_id left join (
      select reference, sum(case when kind = 'topup' then -amount_micros else amount_micros end) as taken from svc.transfer
      where kind in ('topup', 'reversal', 'reversal_debt') group by reference) t on t.reference = c.provider || ' ' || r.id
    where r.taken_micros <> coalesce(t.taken, 0)
  union all
  select 'no more comes back than was paid', c.id::text, sum(r.taken_micros)::text
    from svc.checkout c join svc.reversal r on r.checkout_id = c.id group by c.id
    having sum(r.taken_micros) > max(case when c.paid_at is null then 0 else c.amount_micros end)
  union all
  select 'what refunds and disputes claim of a payment has come back', c.id::text,
      format('%s of %s', sum(r.taken_micros), sum(checkout.claim(r)))
    from svc.checkout c join svc.reversal r on r.checkout_id = c.id group by c.id
    having sum(r.taken_micros) <> least(c.amount_micros, sum(checkout.claim(r)))
$$;
