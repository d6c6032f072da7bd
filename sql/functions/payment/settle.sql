-- Decision 0043: let the payer present an unconfirmed payment again.

-- Reserves an authorization for one call, before it is broadcast and before the work begins. The other answers: `funded`, the
-- account has enough credit now; `wait`, another call of the account is opening a chunk that will pay for this one too;
-- `pending`, it is not known yet whether that chunk has arrived; `resumed` and `arrived`, an earlier request left this same
-- authorization behind.
create or replace function payment.claim(_batch json) returns json language plpgsql as $$
declare
  _call svc.call := (job.parse_calls(_batch))[1];
  _account svc.account;
  _earlier record;
  _seen svc.payment;
  _resumed json;
  _open svc.chunk;
begin
  select * into _account from svc.account where id = _call.account_id for no key update;
  _seen := payment.row_of(_call.payment);
  if _seen.nonce is not null then
    _resumed := payment.resume(_seen, _call);
    if _resumed is not null then
      return _resumed;
    end if;
  end if;
  if _call.key is not null then
    select * into _earlier from job.find_earlier(_call.account_id, _call.key, _call.fingerprint);
    if found then
      return json_build_array(0, case _earlier.verdict when 'again' then 'in_flight' else _earlier.verdict end,
        _earlier.job_id, _earlier.status, _earlier.result, _earlier.charged_micros::text);
    end if;
  end if;
  if _seen.nonce is not null then
    return payment.answer_repeat(_seen, decode(_call.payment ->> 'fp', 'hex'), 0, '{}');
  elsif _account.suspended_at is not null then
    return json_build_array(0, 'suspended');
  elsif _call.amount_micros < payment.chunk_micros() then
    if _account.balance_micros >= _call.amount_micros and _account.debt_micros = 0 then
      return json_build_array(0, 'funded');
    end if;
    select * into _open from svc.chunk where account_id = _account.id and state in ('claimed', 'unknown') and not is_credited
      order by state, created_at limit 1;
    if found then
      return json_build_array(0, case _open.state when 'claimed' then 'wait' else 'pending' end, _open.tx_hash);
    end if;
  end if;
  perform payment.note(_call, payment.open_chunk(_call, 'claimed', false));
  if _call.key is not null then
    insert into svc.idempotency (account_id, key, fingerprint, job_id)
      values (_call.account_id, _call.key, _call.fingerprint, _call.id)
      on conflict (account_id, key) do update
      set fingerprint = excluded.fingerprint, job_id = excluded.job_id, created_at = now();
  end if;
  return json_build_array(0, 'claimed');
end $$;

-- Continues with an authorization whose call was never taken, when the same call shows it again. If its outcome is unknown and
-- the earlier request has given up, this call takes it over; if it has arrived, it is not settled again.
create or replace function payment.resume(_seen svc.payment, _call svc.call) returns json language plpgsql as $$
declare
  _chunk svc.chunk;
begin
  select * into _chunk from svc.chunk where id = _seen.chunk_id for update;
  if _chunk.id is null or not payment.is_unspent(_seen, _call) then
    return null;
  elsif _chunk.state = 'settled' then
    return json_build_array(0, 'arrived', _chunk.id, _chunk.tx_hash);
  elsif _chunk.is_credited or not (_chunk.state = 'unknown'
    or _chunk.state = 'claimed' and _chunk.sent_at < now() - interval '90 seconds') then
    return null;
  end if;
  update svc.chunk set state = 'claimed', sent_at = now() where id = _chunk.id;
  update svc.idempotency set job_id = _call.id where account_id = _seen.account_id and job_id = _seen.job_id;
  perform payment.spend_on(_seen, _call.id);
  return json_build_array(0, 'resumed', _chunk.id);
end $$;

-- Chunks to be broadcast now. They are marked first, so that those of a process that dies are found by payment.list_unresolved.
create or replace function payment.take_due(_limit integer) returns json language sql as $$
  with due as (
    select id from svc.chunk where state = 'pending' order by created_at limit _limit for update skip locked),
  taken as (
    update svc.chunk c set state = 'sending', sent_at = now() from due where c.id = due.id returning c.id, c.sealed)
  select coalesce(json_agg(json_build_array(id, sealed)), '[]') from taken
$$;

-- Chunks that may have been broadcast and whose outcome was not recorded. By now the chain can tell.
create or replace function payment.list_unresolved(_age interval, _limit integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_array(id, sealed, valid_before < now() - interval '1 minute')), '[]') from (
    select * from svc.chunk where (state = 'unknown' and sent_at < now() - least(_age, interval '2 seconds'))
      or (state in ('claimed', 'sending') and sent_at < now() - _age)
    order by created_at limit _limit) c
$$;

-- Records that a chunk has arrived. If no call has used it yet, it becomes credit.
create or replace function payment.mark_settled(_id uuid, _tx text) returns boolean language plpgsql as $$
declare
  _chunk svc.chunk := payment.lock_chunk(_id);
begin
  if _chunk.state not in ('claimed', 'pending', 'sending', 'unknown') then
    return false;
  end if;
  if not _chunk.is_credited then
    perform payment.note_credit(_chunk);
    perform payment.repay(_chunk.account_id, payment.credit(_chunk.account_id, _chunk));
    perform payment.forget_key(_id);
  end if;
  update svc.chunk set state = 'settled', is_credited = true, tx_hash = coalesce(_tx, tx_hash), sealed = null, ended_at = now()
    where id = _id;
  update svc.wallet set settled_at = now() where address = _chunk.payer;
  return true;
end $$;

-- Credits an authorization that was drawn down from credit, and that its payer has put on the chain himself. It becomes a
-- chunk that has arrived, so that it is credited once.
create or replace function payment.credit_drawn(_pay json, _tx text) returns boolean language plpgsql as $$
declare
  _seen svc.payment := payment.row_of(_pay);
  _chunk svc.chunk;
begin
  perform from svc.account where id = _seen.account_id for no key update;
  _seen := payment.row_of(_pay);
  if _seen.nonce is null or _seen.chunk_id is not null then
    return false;
  end if;
  insert into svc.chunk (id, account_id, payer, chain_id, asset, symbol, amount_micros, state, is_credited, tx_hash,
      valid_before, ended_at)
    values ((_pay -> 'chunk' ->> 'id')::uuid, _seen.account_id, lower(_pay ->> 'payer'), _seen.chain_id, _pay ->> 'asset',
      _pay ->> 'sym', (_pay ->> 'value')::bigint, 'settled', true, _tx, _seen.valid_before, now())
    returning * into _chunk;
  update svc.payment set chunk_id = _chunk.id
    where chain_id = _seen.chain_id and asset = _seen.asset and payer = _seen.payer and nonce = _seen.nonce;
  perform payment.note_credit(_chunk);
  perform payment.repay(_chunk.account_id, payment.credit(_chunk.account_id, _chunk));
  return true;
end $$;

-- Notes the asset of a chunk that becomes credit as a whole.
create or replace function payment.note_credit(_chunk svc.chunk) returns void language sql as $$
  select account.note_asset(a.id, _chunk.symbol, a.balance_micros, _chunk.amount_micros)
  from svc.account a where a.id = _chunk.account_id
$$;

-- Records that a chunk will never arrive. What was credited for it is taken back; what is spent of it becomes a debt.
create or replace function payment.mark_failed(_id uuid, _reason text) returns boolean language plpgsql as $$
declare
  _chunk svc.chunk := payment.lock_chunk(_id);
  _available bigint;
begin
  if _chunk.state not in ('claimed', 'pending', 'sending', 'unknown') then
    return false;
  end if;
  if _chunk.is_credited then
    select least(balance_micros, _chunk.amount_micros) into _available from svc.account where id = _chunk.account_id;
    update svc.account set balance_micros = balance_micros - _available,
      debt_micros = debt_micros + _chunk.amount_micros - _available
      where id = _chunk.account_id;
    insert into svc.transfer (account_id, kind, amount_micros, asset, reference)
      select _chunk.account_id, part.kind, part.amount, _chunk.symbol, _id::text
      from (values ('bounce'::svc.transfer_kind, _available), ('debt'::svc.transfer_kind, _chunk.amount_micros - _available))
        part (kind, amount)
      where part.amount > 0;
    update svc.wallet set settled_at = null where address = _chunk.payer;
  else
    perform payment.forget_key(_id);
  end if;
  update svc.chunk set state = 'failed', reason = _reason, sealed = null, ended_at = now() where id = _id;
  return true;
end $$;

-- Records that the receipt of a broadcast did not come in time. It is looked for soon, because its payer waits.
create or replace function payment.mark_unknown(_id uuid, _tx text) returns boolean language plpgsql as $$
begin
  update svc.chunk set state = 'unknown', tx_hash = coalesce(_tx, tx_hash), sent_at = coalesce(sent_at, now())
    where id = _id and state in ('claimed', 'sending');
  if not found then
    return false;
  end if;
  perform lane_remote.add_job('chore_settle_chunks', job_key := 'settle_chunks', max_attempts := 3,
    run_at := now() + interval '3 seconds');
  return true;
end $$;

create or replace function payment.lock_chunk(_id uuid) returns svc.chunk language plpgsql as $$
declare
  _chunk svc.chunk;
begin
  perform from svc.account where id = (select account_id from svc.chunk where id = _id) for no key update;
  select * into _chunk from svc.chunk where id = _id for update;
  return _chunk;
end $$;

-- Frees the idempotency key of the call that claimed a chunk and was never taken.
create or replace function payment.forget_key(_id uuid) returns void language sql as $$
  delete from svc.idempotency i using svc.payment p
  where p.chunk_id = _id and i.account_id = p.account_id and i.job_id = p.job_id
    and not exists (select from svc.job j where j.id = p.job_id)
$$;

-- Deletes authorizations that can no longer be used, and jobs that only priced an unpaid call.
create or replace function payment.delete_expired() returns integer language plpgsql as $$
declare
  _forgotten integer;
begin
  delete from svc.used_nonce where expires_at < now();
  delete from svc.job where account_id = '00000000-0000-0000-0000-000000000000' and created_at < now() - interval '1 hour'
    and status not in ('submitted', 'running');
  delete from svc.payment where (chain_id, asset, payer, nonce) in (
    select chain_id, asset, payer, nonce from svc.payment
    where created_at < now() - interval '2 days' and valid_before < now() - interval '1 day' and chunk_id is null
    order by created_at limit 5000);
  get diagnostics _forgotten = row_count;
  return _forgotten;
end $$;

-- The part of ledger.check_invariants that is about chunks and debts.
create or replace function payment.check_invariants() returns table (rule text, subject text, detail text)
language sql stable as $$
  select 'a debt is the sum of its entries', a.id::text, format('%s is not %s', a.debt_micros, -coalesce(e.owed, 0))
    from svc.account a left join (select account_id, sum(amount_micros) as owed from svc.entry where ledger = 'owed'
      group by account_id) e on e.account_id = a.id
    where a.debt_micros <> -coalesce(e.owed, 0)
  union all
  select 'a chunk is credited once, when its row says so', c.id::text, format('%s credits, %s', coalesce(t.times, 0), c.is_credited)
    from svc.chunk c left join (select reference, count(*) as times, sum(amount_micros) as amount from svc.transfer
      where kind = 'chunk' group by reference) t on t.reference = c.id::text
    where coalesce(t.times, 0) <> case when c.is_credited then 1 else 0 end or t.amount <> c.amount_micros
  union all
  select 'a chunk that failed is taken back whole', c.id::text, coalesce(t.amount, 0)::text
    from svc.chunk c left join (select reference, sum(amount_micros) as amount from svc.transfer
      where kind in ('bounce', 'debt') group by reference) t on t.reference = c.id::text
    where coalesce(t.amount, 0) <> case when c.is_credited and c.state = 'failed' then c.amount_micros else 0 end
  union all
  select 'every credit has its chunk', t.id::text, t.reference
    from svc.transfer t where t.kind = 'chunk' and not exists (select from svc.chunk c where c.id::text = t.reference)
  union all
  select 'a chunk belongs to one authorization', c.id::text, count(p.nonce)::text
    from svc.chunk c left join svc.payment p on p.chunk_id = c.id group by c.id having count(p.nonce) <> 1
  union all
  select 'no call is paid by two authorizations', job_id::text, count(*)::text
    from svc.payment where job_id is not null group by job_id having count(*) > 1
  union all
  select 'no work is begun on a debt, and no balance was ever below zero', id::text, format('%s, owes %s, has %s', kind, owed, had)
    from (select t.id, t.kind,
        sum(case 'owed' when s.debit then t.amount_micros when s.credit then -t.amount_micros else 0 end) over line as owed,
        sum(case 'available' when s.credit then t.amount_micros when s.debit then -t.amount_micros else 0 end) over line as had
      from svc.transfer t join svc.transfer_side s using (kind)
      window line as (partition by t.account_id order by t.id)) past
    where had < 0 or (owed > 0 and kind in ('hold', 'charge'))
  union all
  select 'work begins before its money only as often as it may', account_id::text, count(*)::text
    from svc.chunk where is_credited and state in ('pending', 'sending', 'unknown')
    group by account_id having count(*) > payment.max_open_chunks()
  union all
  select 'a key stands for a call that is known', i.account_id || ' ' || i.key, i.job_id::text from svc.idempotency i
    where not exists (select from svc.job j where j.id = i.job_id) and not exists (select from svc.payment p
      join svc.chunk c on c.id = p.chunk_id where p.job_id = i.job_id and c.state in ('claimed', 'unknown') and not c.is_credited)
  union all
  select 'what is over keeps no signature', id::text, state::text
    from svc.chunk where state in ('settled', 'failed') and sealed is not null
$$;

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists payment.lost(interval, integer), payment.settled(uuid, text), payment.failed(uuid, text),
--   payment.unknown(uuid, text), payment.wallet(text), payment.forget();
