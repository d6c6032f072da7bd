-- The earlier request that an Idempotency-Key stands for: one row when this request must not run, none when it may.
-- `again` means that the earlier request is in the same batch and has no job row yet: the caller asks again after the commit.
create or replace function job.find_earlier(_account uuid, _key text, _fingerprint bytea)
returns table (verdict text, job_id uuid, status svc.job_status, result json, charged_micros bigint) language sql stable as $$
  select case
      when i.fingerprint <> _fingerprint then 'conflict'
      when j.id is null and not payment.has_claim(_account) then 'again'
      when j.status = 'succeeded' or j.is_async then 'replay'
      else 'in_flight' end,
    i.job_id, j.status, j.result, j.charged_micros
  from svc.idempotency i left join svc.job j on j.id = i.job_id
  where i.account_id = _account and i.key = _key and i.created_at > now() - interval '24 hours'
$$;

-- Parses a batch into calls, in the order in which accounts are locked everywhere.
create or replace function job.parse_calls(_batch json) returns svc.call[] language sql stable as $$
  select array_agg(row(ord, id, acct, svc, lane, amt, coalesce(async, false), secs, key, decode(fp, 'hex'),
    coalesce(payload, shut_payload::json), pay, decode(kh, 'hex'), ceil, rate, ins, tp)::svc.call order by acct, ord)
  from rows from (json_to_recordset(_batch) as (id uuid, acct uuid, svc text, lane text, amt bigint, async boolean,
    secs integer, key text, fp text, payload json, shut_payload text, pay json, kh text, ceil bigint, rate text, ins json, tp text))
    with ordinality as c (id, acct, svc, lane, amt, async, secs, key, fp, payload, shut_payload, pay, kh, ceil, rate, ins, tp, ord)
$$;

-- Takes a whole batch in one statement, which costs a third of taking each account's calls in turn. Returns false and
-- changes nothing if a call has an idempotency key, a payment or an API key with limits, or if an account cannot pay for all.
create or replace function job.take_plain(_calls svc.call[], _into_held boolean) returns boolean language plpgsql as $$
declare
  _accounts bigint;
  _paying bigint;
begin
  if exists (select from unnest(_calls) c where c.key is not null or c.payment is not null) then
    return false;
  end if;
  if cardinality(_calls) > 1 then
    perform from svc.account where id = any (array(select c.account_id from unnest(_calls) c)) order by id for no key update;
  end if;
  with asked as (
    select c.account_id, sum(c.amount_micros)::bigint as micros from unnest(_calls) c group by c.account_id order by c.account_id),
  paying as (
    update svc.account a set balance_micros = a.balance_micros - asked.micros,
      held_micros = a.held_micros + case when _into_held then asked.micros else 0 end
    from asked where a.id = asked.account_id and a.balance_micros >= asked.micros and a.suspended_at is null
      and a.debt_micros = 0
    returning 1)
  select (select count(*) from asked), (select count(*) from paying) into _accounts, _paying;
  if _paying < _accounts or not key.spend_unlimited(_calls) then
    raise exception using errcode = 'SVC02';
  end if;
  return true;
exception when sqlstate 'SVC02' then
  return false;
end $$;

-- Takes the calls of a batch for which their accounts have the money; `_calls` comes back with those that were taken. There
-- is an answer for each call that was refused and for each that came with a payment.
-- `_is_repeat` means that an earlier sending of this batch may have been committed although its answer was lost.
create or replace function job.take_calls(inout _calls svc.call[], _into_held boolean, _is_repeat boolean, out _answers json[])
language plpgsql as $$
declare
  _result record;
begin
  _answers := '{}';
  if _is_repeat then
    _calls := job.without_recorded(_calls);
  end if;
  if not job.take_plain(_calls, _into_held) then
    _result := job.take_in_turn(_calls, _into_held);
    _calls := _result._taken;
    _answers := _result._answers;
  end if;
end $$;

-- The calls that an earlier sending of their batch has not recorded. The accounts are locked first, because that sending may
-- still be under way.
create or replace function job.without_recorded(_calls svc.call[]) returns svc.call[] language plpgsql as $$
begin
  perform from svc.account where id = any (array(select c.account_id from unnest(_calls) c)) order by id for no key update;
  return array(select c from unnest(_calls) c where not exists (select from svc.job j where j.id = c.id)
    order by c.account_id, c.ord);
end $$;

-- Decides on one call after the other, because each changes what is left for the next call of its account.
create or replace function job.take_in_turn(_calls svc.call[], _into_held boolean, out _taken svc.call[], out _answers json[])
language plpgsql as $$
declare
  _call svc.call;
  _account uuid;
  _funds record;
  _left bigint;
  _spent bigint;
  _repeats record := payment.find_repeats(_calls);
  _outcome record;
  _refusal json;
  _drawn svc.call[] := '{}';
  _is_due boolean := false;
begin
  _taken := '{}';
  _answers := '{}';
  foreach _call in array _calls loop
    if _call.account_id is distinct from _account then
      _funds := job.switch_account(_account, _spent, _into_held, _call.account_id);
      _account := _call.account_id;
      _left := _funds._balance;
      _spent := 0;
    end if;
    _refusal := null;
    if _call.key is not null or _funds._is_suspended then
      _refusal := job.refuse_early(_call.ord, _call.id, _account, _call.key, _call.fingerprint, _funds._is_suspended);
    end if;
    if _refusal is null and _call.payment is null and _call.amount_micros > _left then
      _refusal := json_build_array(_call.ord, 'short', (_left - _funds._debt)::text);
    elsif _refusal is null and _call.payment is not null and _call.ord <> all (_repeats._ords) and _funds._debt = 0
      and _call.amount_micros <= _left and _call.amount_micros < _repeats._chunk_micros then
      _drawn := _drawn || _call;
      _answers := _answers || json_build_array(_call.ord, 'paid', null, (_left - _call.amount_micros)::text);
    elsif _refusal is null and _call.payment is not null then
      _outcome := payment.fund_call(_call, _left, _taken, _call.ord = any (_repeats._duplicates));
      _left := _left + _outcome._gained;
      _is_due := _is_due or _outcome._is_due;
      _answers := _answers || _outcome._answer;
      continue when _outcome._answer ->> 1 <> 'paid';
    end if;
    if _refusal is null and _call.key_hash is not null then
      _refusal := job.refuse_over_limit(_call.ord, _call.key_hash, _call.amount_micros);
    end if;
    if _refusal is not null then
      _answers := _answers || _refusal;
      continue;
    end if;
    _left := _left - _call.amount_micros;
    _spent := _spent + _call.amount_micros;
    _taken := _taken || payment.book_in_credit(_call, _answers[cardinality(_answers)]);
    if _call.key is not null then
      insert into svc.idempotency (account_id, key, fingerprint, job_id) values (_account, _call.key, _call.fingerprint, _call.id)
        on conflict (account_id, key) do update
        set fingerprint = excluded.fingerprint, job_id = excluded.job_id, created_at = now();
    end if;
  end loop;
  perform job.switch_account(_account, _spent, _into_held, null);
  perform payment.finish_batch(_drawn, _is_due);
end $$;

-- Charges what the calls of one account cost and locks the next account, if there is one. What that one owes is paid off as far
-- as possible; `_balance` is what it may spend after that.
create or replace function job.switch_account(_from uuid, _spent bigint, _into_held boolean, _to uuid,
  out _balance bigint, out _debt bigint, out _is_suspended boolean) language plpgsql as $$
declare
  _repaid bigint;
begin
  if _spent > 0 then
    update svc.account set balance_micros = balance_micros - _spent,
      held_micros = held_micros + case when _into_held then _spent else 0 end
      where id = _from;
  end if;
  if _to is null then
    return;
  end if;
  select balance_micros, debt_micros, suspended_at is not null into _balance, _debt, _is_suspended
    from svc.account where id = _to for no key update;
  _balance := coalesce(_balance, 0);
  if _debt > 0 then
    _repaid := payment.repay(_to, _balance);
    _balance := _balance - _repaid;
    _debt := _debt - _repaid;
  end if;
end $$;

-- Refuses a call whose idempotency key stands for another call, or whose account is suspended.
create or replace function job.refuse_early(_ord bigint, _id uuid, _account uuid, _key text, _fingerprint bytea,
  _is_suspended boolean) returns json language plpgsql stable as $$
declare
  _answer json;
begin
  if _key is not null then
    select json_build_array(_ord, e.verdict, e.job_id, e.status, e.result, e.charged_micros::text) into _answer
      from job.find_earlier(_account, _key, _fingerprint) e where e.job_id <> _id;
  end if;
  if _answer is null and _is_suspended then
    _answer := json_build_array(_ord, 'suspended');
  end if;
  return _answer;
end $$;

-- The answer to a call whose idempotency key stands for an earlier one, in the form of a refusal; null if there is none.
create or replace function job.answer_earlier(_account uuid, _key text, _fingerprint bytea) returns json language sql stable as $$
  select json_build_array(1, e.verdict, e.job_id, e.status, e.result, e.charged_micros::text,
    greatest(j.ceiling_micros, j.held_micros)::text)
  from job.find_earlier(_account, _key, _fingerprint) e left join svc.job j on j.id = e.job_id
$$;

-- Counts what a call costs against the limits of its API key, or refuses it.
create or replace function job.refuse_over_limit(_ord bigint, _key_hash bytea, _micros bigint) returns json language plpgsql as $$
declare
  _limit json := key.spend(_key_hash, _micros, _micros);
begin
  return case when _limit is not null then json_build_array(_ord, 'limit', _limit) end;
end $$;

-- Records calls that have already run: replay check, charge, entry, job row and result of a whole batch in one commit.
create or replace function job.instant_batch(_batch json, _is_repeat boolean) returns json language plpgsql as $$
declare
  _calls svc.call[] := job.parse_calls(_batch);
  _answers json[];
  _accounts uuid[];
  _jobs uuid[];
begin
  select * into _calls, _answers from job.take_calls(_calls, false, _is_repeat);
  with recorded as (
    insert into svc.job (id, account_id, service_key, lane, status, charged_micros, held_micros, started_at, finished_at,
      idempotency_key, key_hash, result, request_hash, rate, inputs, traceparent)
    select id, account_id, service_key, 'instant', 'succeeded', amount_micros, amount_micros, now(), now(), key, key_hash,
      payload, fingerprint, rate, inputs, traceparent
    from unnest(_calls) returning account_id, id)
  select coalesce(array_agg(account_id), '{}'), array_agg(id) into _accounts, _jobs from recorded;
  insert into svc.transfer (account_id, job_id, kind, amount_micros, asset, service_key)
    select account_id, id, 'charge', amount_micros, coalesce(payment ->> 'sym', 'USD'), service_key from unnest(_calls);
  perform webhook.emit_jobs(_accounts, _jobs);
  return to_json(_answers);
end $$;

-- Accepts work: replay check, hold, job row and queue entry of a whole batch in one commit.
create or replace function job.intake_batch(_batch json, _is_repeat boolean) returns json language plpgsql as $$
declare
  _calls svc.call[] := job.parse_calls(_batch);
  _answers json[];
begin
  select * into _calls, _answers from job.take_calls(_calls, true, _is_repeat);
  insert into svc.job (id, account_id, service_key, lane, status, is_async, held_micros, ceiling_micros, deadline_at,
      idempotency_key, key_hash, asset, request_hash, rate, inputs, traceparent)
    select id, account_id, service_key, lane, 'submitted', is_async, amount_micros, ceiling_micros,
      now() + make_interval(secs => seconds), key, key_hash, coalesce(payment ->> 'sym', 'USD'), fingerprint, rate, inputs,
      traceparent
    from unnest(_calls);
  insert into svc.transfer (account_id, job_id, kind, amount_micros, asset, service_key)
    select account_id, id, 'hold', amount_micros, coalesce(payment ->> 'sym', 'USD'), service_key from unnest(_calls)
    where amount_micros > 0;
  perform lane.enqueue(_calls);
  return to_json(_answers);
end $$;

-- Former names. Batches may be inside them while a database is upgraded, so they stay for one deploy; the next one runs:
-- drop function if exists job.take(svc.call[], boolean, boolean), job.calls_of(json), job.earlier(uuid, text, bytea),
--   job.spend(uuid, bigint, boolean), job.closing_of(uuid, uuid, svc.job_status, text),
--   job.look_up(uuid, text, bytea);
