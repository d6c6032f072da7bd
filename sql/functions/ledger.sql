-- The lines that a customer sees, newest first: one for a job (a hold or an instant charge), one for a top-up or refund, and
-- one for a chunk that was paid by x402. A chunk that never arrived is shown as released and does not count.
-- Lines of some days (in UTC, both included), of one operation, or of calls with one key; `_before` is the id of a line.
create or replace function ledger.search(_account uuid, _type text, _from date, _to date, _operation text, _key text,
  _before bigint, _limit integer, _offset integer) returns json language sql stable as $$
  with line as (
    select t.* from svc.transfer t
    where t.account_id = _account and t.kind in ('topup', 'chunk', 'link_in', 'hold', 'charge', 'refund', 'reversal',
        'reversal_debt', 'share', 'share_back', 'share_debt')
      and (_type is null or ledger.line_type(t.kind) = _type)
      and (_from is null or t.created_at >= _from::timestamp at time zone 'utc')
      and (_to is null or t.created_at < (_to + 1)::timestamp at time zone 'utc')
      and (_operation is null or t.service_key = _operation)
      and (_before is null or t.id < _before)
      and (_key is null or exists (select from svc.job j join svc.api_key k on k.hash = j.key_hash
        where j.id = t.job_id and k.prefix = _key))
    order by t.id desc limit _limit offset _offset
  )
  select coalesce(json_agg(json_strip_nulls(json_build_object(
    'id', line.id::text,
    'type', ledger.line_type(line.kind),
    'direction', case when line.kind in ('hold', 'charge', 'reversal', 'reversal_debt', 'share_back', 'share_debt')
      then 'debit' else 'credit' end,
    'amountMicros', coalesce(case when line.kind = 'hold' then coalesce(nullif(job.charged_micros, 0), job.held_micros) end,
      line.amount_micros)::text,
    'serviceKey', line.service_key,
    'status', case when line.kind = 'chunk' then case chunk.state when 'settled' then 'settled' when 'failed' then 'released'
        else 'pending' end
      when line.kind in ('reversal', 'reversal_debt', 'share_back', 'share_debt') then 'refunded'
      when line.kind <> 'hold' or job.status = 'succeeded' then 'settled'
      when job.status in ('submitted', 'running') then 'pending' else 'released' end,
    'jobId', case when ledger.line_type(line.kind) <> 'share' then line.job_id end, 'keyPrefix', key.prefix, 'asset', line.asset,
    'txHash', coalesce(nullif(chunk.tx_hash, ''), case when line.reference like '0x%' then line.reference end),
    'steps', case when line.kind = 'hold' and line.service_key = 'pipeline.run' then ledger.list_steps(line.job_id) end,
    'createdAt', line.created_at)) order by line.id desc), '[]')
  from line left join svc.job job on job.id = line.job_id
    left join svc.api_key key on key.hash = job.key_hash and ledger.line_type(line.kind) <> 'share'
    left join svc.chunk chunk on chunk.id = case when line.kind = 'chunk' then line.reference::uuid end
$$;

-- What each step of a pipeline cost; null before its end.
create or replace function ledger.list_steps(_job uuid) returns json language sql stable as $$
  select json_agg(json_build_object('id', reference, 'serviceKey', service_key, 'amountMicros', amount_micros::text) order by id)
  from svc.transfer where job_id = _job and kind = 'capture' and reference is not null
$$;

create or replace function ledger.line_type(_kind svc.transfer_kind) returns text language sql immutable as $$
  select case when _kind in ('hold', 'charge') then 'charge' when _kind in ('chunk', 'link_in') then 'topup'
    when _kind in ('reversal', 'reversal_debt') then 'refund' when _kind in ('share_back', 'share_debt') then 'share'
    else _kind::text end
$$;

create or replace function ledger.totals() returns table (ledger text, amount_micros numeric) language sql stable as $$
  select 'available', coalesce(sum(balance_micros), 0) from svc.account
  union all select 'held', coalesce(sum(held_micros), 0) from svc.account
  union all select 'owed', coalesce(-sum(debt_micros), 0) from svc.account
$$;

-- Lists every violated rule of the ledger; no rows means that it is in order. It is slow, because it reads every row.
create or replace function ledger.check_invariants() returns table (rule text, subject text, detail text)
language sql stable as $$
  select 'entries sum to zero', asset, sum(amount_micros)::text
    from svc.entry group by asset having sum(amount_micros) <> 0
  union all
  select 'a balance is the sum of its entries', a.id::text, format('%s is not %s', a.balance_micros, coalesce(e.available, 0))
    from svc.account a left join (
      select account_id, sum(amount_micros) filter (where ledger = 'available') as available,
        sum(amount_micros) filter (where ledger = 'held') as held from svc.entry group by account_id) e on e.account_id = a.id
    where a.balance_micros <> coalesce(e.available, 0) or a.held_micros <> coalesce(e.held, 0)
  union all
  select 'held money is the sum of open holds', a.id::text, format('%s is not %s', a.held_micros, coalesce(j.held, 0))
    from svc.account a left join (
      select account_id, sum(held_micros) as held from svc.job where status in ('submitted', 'running') group by account_id
    ) j on j.account_id = a.id where a.held_micros <> coalesce(j.held, 0)
  union all
  select 'money that moves between accounts arrives', asset, sum(amount_micros)::text
    from svc.entry where ledger = 'linking' group by asset having sum(amount_micros) <> 0
  union all
  select 'a charge is at most its hold', id::text, format('%s of %s', charged_micros, held_micros)
    from svc.job where lane <> 'instant' and charged_micros > held_micros
  union all
  select 'a job that did not succeed is free', id::text, charged_micros::text
    from svc.job where status in ('failed', 'expired') and coalesce(charged_micros, 0) <> 0
  union all
  select 'a job is charged what its entries say', j.id::text, format('%s is not %s', j.charged_micros, t.charged)
    from svc.job j join (
      select job_id, sum(amount_micros) filter (where kind in ('capture', 'charge')) as charged from svc.transfer
      where job_id is not null group by job_id) t on t.job_id = j.id
    where coalesce(j.charged_micros, 0) <> coalesce(t.charged, 0)
  union all
  select 'a job is given back at most what it was charged', j.id::text, format('%s of %s', t.refunded, j.charged_micros)
    from svc.job j join (select job_id, sum(amount_micros) as refunded from svc.transfer
      where kind = 'refund' group by job_id) t on t.job_id = j.id where t.refunded > coalesce(j.charged_micros, 0)
  union all
  select 'the steps of a pipeline cost what it was charged', j.id::text, format('%s is not %s', t.charged, j.charged_micros)
    from svc.job j join (select job_id, sum(amount_micros) as charged from svc.transfer
      where kind = 'capture' and reference is not null group by job_id) t on t.job_id = j.id
    where coalesce(j.charged_micros, 0) <> t.charged
  union all
  select 'a succeeded job has its result', id::text, service_key
    from svc.job where status = 'succeeded' and result is null and finished_at > now() - interval '1 day'
  union all
  select 'an open job has a deadline ahead', id::text, deadline_at::text
    from svc.job where status in ('submitted', 'running') and (deadline_at is null or deadline_at < now() - interval '60 seconds')
  union all select * from ledger.check_months()
  union all select * from payment.check_invariants()
  union all select * from checkout.check_invariants()
  union all select * from webhook.check_invariants()
  union all select * from baton.check_invariants()
  union all select * from plugin.check_invariants()
  union all
  select 'one charge an idempotency key', account_id::text || ' ' || idempotency_key, count(*)::text
    from svc.job where idempotency_key is not null and status = 'succeeded' and created_at > now() - interval '1 day'
    group by account_id, idempotency_key having count(*) > 1
$$;

-- Gives back what a job was charged, or a part of it: a debt of the account is paid off first. Never more than was charged.
create or replace function ledger.refund(_job uuid, _micros bigint) returns void language plpgsql as $$
declare
  _charged svc.job;
  _balance bigint;
begin
  select * into _charged from svc.job where id = _job for no key update;
  if _charged.id is null or _micros <= 0 then
    return;
  elsif _micros + (select coalesce(sum(t.amount_micros), 0) from svc.transfer t
      where t.job_id = _job and t.kind = 'refund') > coalesce(_charged.charged_micros, 0) then
    raise exception 'a refund of % is more than job % was charged', _micros, _job;
  end if;
  perform from svc.account where id = any (plugin.list_shared(_job) || _charged.account_id) order by id for no key update;
  update svc.account set balance_micros = balance_micros + _micros where id = _charged.account_id
    returning balance_micros into _balance;
  insert into svc.transfer (account_id, job_id, kind, amount_micros, asset, service_key)
    values (_charged.account_id, _job, 'refund', _micros, _charged.asset, _charged.service_key);
  perform payment.repay(_charged.account_id, _balance);
  perform plugin.take_back(_job);
end $$;

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists ledger.statement(uuid, text, integer, integer);
