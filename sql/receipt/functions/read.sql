-- Decision 0510: prove a charge by what was known when it was booked.

-- What a receipt says of a job; null if the account has no such job.
create or replace function receipt.read(_account uuid, _job uuid) returns json language sql stable as $$
  select json_build_object('id', j.id, 'serviceKey', j.service_key, 'status', j.status, 'problem', j.problem ->> 'code',
    'requestHash', encode(j.request_hash, 'hex'), 'rate', j.rate, 'inputs', coalesce(j.inputs, '[]'), 'result', j.result,
    'heldMicros', j.held_micros::text, 'chargedMicros', coalesce(j.charged_micros, 0)::text, 'createdAt', j.created_at,
    'startedAt', j.started_at, 'finishedAt', j.finished_at, 'payer', receipt.describe_payer(j))
  from svc.job j where j.id = _job and j.account_id = _account
$$;

-- Who has paid for a job. The wallet is that whose payment settled for it; without one, because credit paid, that of the
-- account if it is the only one and the call came without an API key.
create or replace function receipt.describe_payer(_job svc.job) returns json language sql stable as $$
  select json_build_object('accountId', _job.account_id, 'chainId', paid.chain_id, 'asset', paid.symbol,
    'transaction', paid.tx_hash, 'wallet', coalesce('0x' || encode(paid.payer, 'hex'), (
      select min(w.address) from svc.wallet w where w.account_id = _job.account_id and _job.key_hash is null
      having count(*) = 1)))
  from (select) one left join lateral (
    select p.payer, c.chain_id, c.symbol, c.tx_hash from svc.payment p
    left join svc.chunk c on c.id = p.chunk_id and c.state = 'settled'
    where p.job_id = _job.id and p.chunk_id is not null limit 1) paid on true
$$;
