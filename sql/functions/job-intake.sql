-- What an Idempotency-Key already stands for: a row when the request must not run again, none when it may.
-- `again` is a twin in the same batch, whose job row is not written yet: the caller asks once more after the commit.
create or replace function job.earlier(_account uuid, _key text, _fingerprint bytea)
returns table (verdict text, job_id uuid, status svc.job_status, result json, charged_micros bigint) language sql stable as $$
  select case
      when i.fingerprint <> _fingerprint then 'conflict'
      when j.id is null and not exists (select from svc.chunk c where c.account_id = _account
        and c.state in ('claimed', 'unknown') and not c.is_credited) then 'again'
      when j.status = 'succeeded' or j.is_async then 'replay'
      else 'in_flight' end,
    i.job_id, j.status, j.result, j.charged_micros
  from svc.idempotency i left join svc.job j on j.id = i.job_id
  where i.account_id = _account and i.key = _key and i.created_at > now() - interval '24 hours'
$$;

-- The calls of one batch, in the order in which accounts are locked everywhere.
create or replace function job.calls_of(_batch json) returns svc.call[] language sql stable as $$
  select array_agg(row(ord, id, acct, svc, lane, amt, coalesce(async, false), secs, key, decode(fp, 'hex'),
    coalesce(payload, shut_payload::json), pay, decode(kh, 'hex'))::svc.call order by acct, ord)
  from rows from (json_to_recordset(_batch) as (id uuid, acct uuid, svc text, lane text, amt bigint, async boolean,
    secs integer, key text, fp text, payload json, shut_payload text, pay json, kh text))
    with ordinality as c (id, acct, svc, lane, amt, async, secs, key, fp, payload, shut_payload, pay, kh, ord)
$$;

-- The usual case at once: nobody asks for anything but work, and every account can pay for all it asks. One statement
-- for all accounts costs a third of one each. False, with nothing done, where any of that is not so.
create or replace function job.take_plain(_calls svc.call[], _into_held boolean) returns boolean language plpgsql as $$
declare
  _accounts bigint;
  _paying bigint;
begin
  if exists (select from unnest(_calls) c where c.key is not null or c.payment is not null or c.key_hash is not null) then
    return false;
  end if;
  perform from svc.account where id = any (array(select c.account_id from unnest(_calls) c)) order by id for no key update;
  with asked as (
    select c.account_id, sum(c.amount_micros)::bigint as micros from unnest(_calls) c group by c.account_id order by c.account_id),
  paying as (
    update svc.account a set balance_micros = a.balance_micros - asked.micros,
      held_micros = a.held_micros + case when _into_held then asked.micros else 0 end
    from asked where a.id = asked.account_id and a.balance_micros >= asked.micros and a.suspended_at is null
      and a.debt_micros = 0
    returning 1)
  select (select count(*) from asked), (select count(*) from paying) into _accounts, _paying;
  if _paying < _accounts then
    raise exception using errcode = 'SVC02';
  end if;
  return true;
exception when sqlstate 'SVC02' then
  return false;
end $$;

-- Takes each account's calls in turn, as far as its balance goes. The answer has a row for a call that is not taken, and
-- for one that came with a payment.
-- `_is_repeat` says that an earlier sending of this batch may have been committed although its answer was lost.
create or replace function job.take(inout _calls svc.call[], _into_held boolean, _is_repeat boolean, out _refused json[])
language plpgsql as $$
declare
  _call svc.call;
  _taken svc.call[] := '{}';
  _account uuid;
  _balance bigint;
  _left bigint;
  _suspended boolean;
  _debt bigint;
  _repaid bigint;
  _known record;
  _drawn svc.call[] := '{}';
  _earlier record;
  _fund record;
  _is_due boolean := false;
  _limit json;
begin
  _refused := '{}';
  if not _is_repeat and job.take_plain(_calls, _into_held) then
    return;
  end if;
  select * into _known from payment.known(_calls);
  foreach _call in array _calls loop
    if _call.account_id is distinct from _account then
      perform job.spend(_account, _balance - _left, _into_held);
      _account := _call.account_id;
      select balance_micros, suspended_at is not null, debt_micros into _balance, _suspended, _debt
        from svc.account where id = _account for no key update;
      _balance := coalesce(_balance, 0);
      if _debt > 0 then
        _repaid := payment.repay(_account, _balance);
        _balance := _balance - _repaid;
        _debt := _debt - _repaid;
      end if;
      _left := _balance;
    end if;
    if _is_repeat then
      perform from svc.job where id = _call.id;
      continue when found;
    end if;
    if _call.key is not null then
      select * into _earlier from job.earlier(_account, _call.key, _call.fingerprint);
      if found and _earlier.job_id <> _call.id then
        _refused := _refused || json_build_array(_call.ord, _earlier.verdict, _earlier.job_id, _earlier.status,
          _earlier.result, _earlier.charged_micros::text);
        continue;
      end if;
    end if;
    if _suspended then
      _refused := _refused || json_build_array(_call.ord, 'suspended');
      continue;
    elsif _call.payment is not null and _call.ord = any (_known._twins) then
      _refused := _refused || json_build_array(_call.ord, 'again');
      continue;
    elsif _call.payment is not null and _debt = 0 and _call.amount_micros < _known._chunk_micros
      and _call.amount_micros <= _left and _call.ord <> all (_known._seen) then
      _drawn := _drawn || _call;
      _refused := _refused || json_build_array(_call.ord, 'paid', null, (_left - _call.amount_micros)::text);
    elsif _call.payment is not null then
      select * into _fund from payment.fund(_call, _left, _taken);
      _balance := _balance + _fund._gained;
      _left := _left + _fund._gained;
      _is_due := _is_due or _fund._is_due;
      _refused := _refused || _fund._answer;
      continue when _fund._answer ->> 1 <> 'paid';
    elsif _call.amount_micros > _left then
      _refused := _refused || json_build_array(_call.ord, 'short', (_left - _debt)::text);
      continue;
    end if;
    if _call.key_hash is not null then
      _limit := key.spend(_call.key_hash, _call.amount_micros, _call.amount_micros);
      if _limit is not null then
        _refused := _refused || json_build_array(_call.ord, 'limit', _limit);
        continue;
      end if;
    end if;
    _left := _left - _call.amount_micros;
    _taken := _taken || _call;
    if _call.key is not null then
      insert into svc.idempotency (account_id, key, fingerprint, job_id)
        values (_account, _call.key, _call.fingerprint, _call.id)
        on conflict (account_id, key) do update
        set fingerprint = excluded.fingerprint, job_id = excluded.job_id, created_at = now();
    end if;
  end loop;
  perform job.spend(_account, _balance - _left, _into_held);
  perform payment.note_drawn(_drawn);
  if _is_due then
    perform lane_remote.add_job('chore_settle_chunks', job_key := 'settle_chunks', max_attempts := 3);
  end if;
  _calls := _taken;
end $$;

create or replace function job.spend(_account uuid, _micros bigint, _into_held boolean) returns void language plpgsql as $$
begin
  if _micros > 0 then
    update svc.account set balance_micros = balance_micros - _micros,
      held_micros = held_micros + case when _into_held then _micros else 0 end
      where id = _account;
  end if;
end $$;

-- Records calls that have already run: replay check, charge, entry, job row and result of a whole batch in one commit.
create or replace function job.instant_batch(_batch json, _is_repeat boolean) returns json language plpgsql as $$
declare
  _calls svc.call[] := job.calls_of(_batch);
  _refused json[];
begin
  select * into _calls, _refused from job.take(_calls, false, _is_repeat);
  insert into svc.job (id, account_id, service_key, lane, status, charged_micros, held_micros, started_at, finished_at,
      idempotency_key, result)
    select id, account_id, service_key, 'instant', 'succeeded', amount_micros, amount_micros, now(), now(), key, payload
    from unnest(_calls);
  insert into svc.transfer (account_id, job_id, kind, amount_micros, asset, service_key)
    select account_id, id, 'charge', amount_micros, coalesce(payment ->> 'sym', 'USD'), service_key from unnest(_calls);
  return to_json(_refused);
end $$;

-- Accepts work: replay check, hold, job row and queue entry of a whole batch in one commit.
create or replace function job.intake_batch(_batch json, _is_repeat boolean) returns json language plpgsql as $$
declare
  _calls svc.call[] := job.calls_of(_batch);
  _refused json[];
begin
  select * into _calls, _refused from job.take(_calls, true, _is_repeat);
  insert into svc.job (id, account_id, service_key, lane, status, is_async, held_micros, deadline_at, idempotency_key, key_hash)
    select id, account_id, service_key, lane, 'submitted', is_async, amount_micros,
      now() + make_interval(secs => seconds), key, key_hash
    from unnest(_calls);
  insert into svc.transfer (account_id, job_id, kind, amount_micros, asset, service_key)
    select account_id, id, 'hold', amount_micros, coalesce(payment ->> 'sym', 'USD'), service_key from unnest(_calls)
    where amount_micros > 0;
  perform lane.enqueue(_calls);
  return to_json(_refused);
end $$;

-- Whether a key already stands for a request, asked before work is done for nothing.
create or replace function job.look_up(_account uuid, _key text, _fingerprint bytea) returns json language sql stable as $$
  select json_build_array(0, verdict, job_id, status, result, charged_micros::text)
  from job.earlier(_account, _key, _fingerprint)
$$;
