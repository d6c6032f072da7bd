-- What has happened lately, against the day before and the same day of the week before.

-- Calls, failures and revenue of each hour between two moments. Revenue is real money: what tests and trials are charged is none.
-- Refunds count on the hour in which they are given.
create or replace function admin.hours(_from timestamptz, _to timestamptz)
returns table (hour timestamptz, calls bigint, failed bigint, revenue_micros bigint) language sql stable as $$
  with ran as (
    select date_trunc('hour', j.created_at) as hour, count(*) as calls,
      count(*) filter (where j.status in ('failed', 'expired')) as failed,
      sum(j.charged_micros) filter (where not a.is_test) as micros
    from svc.job j left join svc.account a on a.id = j.account_id
    where j.id >= job.first_id(_from) and j.id < job.first_id(_to) group by 1),
  given as (
    select date_trunc('hour', t.created_at) as hour, sum(t.amount_micros) as micros
    from svc.transfer t join svc.account a on a.id = t.account_id
    where t.kind = 'refund' and t.created_at >= _from and t.created_at < _to and not a.is_test group by 1)
  select h.hour, coalesce(r.calls, 0), coalesce(r.failed, 0), (coalesce(r.micros, 0) - coalesce(g.micros, 0))::bigint
  from generate_series(date_trunc('hour', _from), _to - interval '1 microsecond', interval '1 hour') h (hour)
    left join ran r on r.hour = h.hour left join given g on g.hour = h.hour order by 1
$$;

-- What tests and trials were charged between two moments, without what was given back.
create or replace function admin.test_revenue(_from timestamptz, _to timestamptz) returns bigint language sql stable as $$
  select (coalesce((select sum(j.charged_micros) from svc.job j join svc.account a on a.id = j.account_id
      where j.id >= job.first_id(_from) and j.id < job.first_id(_to) and a.is_test), 0)
    - coalesce((select sum(t.amount_micros) from svc.transfer t join svc.account a on a.id = t.account_id
      where t.kind = 'refund' and t.created_at >= _from and t.created_at < _to and a.is_test), 0))::bigint
$$;

create or replace function admin.failures(_from timestamptz, _to timestamptz)
returns table (code text, operation text, jobs bigint) language sql stable as $$
  select coalesce(j.problem ->> 'code', j.status::text), j.service_key, count(*) from svc.job j
  where j.id >= job.first_id(_from) and j.id < job.first_id(_to) and j.status in ('failed', 'expired')
  group by 1, 2 order by 3 desc, 1, 2 limit 50
$$;

create or replace function admin.slowest(_from timestamptz, _to timestamptz)
returns table (operation text, jobs bigint, median_ms integer, p95_ms integer, max_ms integer) language sql stable as $$
  select s.service_key, count(*), (percentile_cont(0.5) within group (order by s.ms))::integer,
    (percentile_cont(0.95) within group (order by s.ms))::integer, max(s.ms)::integer
  from (select j.service_key, extract(epoch from j.finished_at - j.started_at) * 1000 as ms from svc.job j
    where j.id >= job.first_id(_from) and j.id < job.first_id(_to) and j.status = 'succeeded' and j.started_at is not null) s
  group by 1 order by 4 desc, 1 limit 20
$$;

create view admin.chunk as
  select c.id, c.account_id, c.payer, c.chain_id, c.symbol, c.amount_micros, c.state, c.is_credited, c.tx_hash, c.reason,
    c.valid_before, c.created_at, c.sent_at, c.ended_at
  from svc.chunk c;
comment on view admin.chunk is E'@primaryKey id\n@foreignKey (account_id) references admin.account (id)|@fieldName account|@foreignFieldName chunks\n@behavior +attribute:filterBy +attribute:orderBy\nMoney on its way from the chain.';

-- Payments of which nobody knows yet whether they arrive.
create or replace function admin.doubtful_payments() returns table (state svc.chunk_state, chunks bigint, amount_micros bigint,
  oldest timestamptz) language sql stable as $$
  select c.state, count(*), sum(c.amount_micros)::bigint, min(c.created_at) from svc.chunk c
  where c.state in ('claimed', 'pending', 'sending', 'unknown') group by 1 order by 1
$$;
