-- Decision 0550: share what is charged, and take back of it what is refunded.

-- The accounts to which a part goes of what these jobs are charged.
create or replace function plugin.list_authors(_ended svc.job[]) returns uuid[] language plpgsql stable as $$
begin
  if not exists (select from svc.plugin where author_id is not null) then
    return '{}';
  end if;
  return (select coalesce(array_agg(distinct p.author_id), '{}') from svc.plugin p
    where p.author_id is not null and exists (select from unnest(_ended) e
      where e.charged_micros > 0 and (e.service_key = p.name or e.service_key = 'pipeline.run')));
end $$;

-- Moves to authors their parts of what these jobs were charged, in the asset of the charge; the accounts are locked. Money of
-- tests goes to accounts for tests only, and other money to no such account. What is no whole micro stays with the house.
create or replace function plugin.share_charges(_ended svc.job[]) returns void language plpgsql as $$
begin
  with charge as (
    select e.id, e.account_id, e.asset, e.service_key, e.charged_micros as micros from unnest(_ended) e
      where e.charged_micros > 0 and e.service_key <> 'pipeline.run'
    union all
    select t.job_id, t.account_id, t.asset, t.service_key, t.amount_micros from svc.transfer t
      where t.kind = 'capture' and t.reference is not null
        and t.job_id = any (array(select e.id from unnest(_ended) e where e.service_key = 'pipeline.run'))),
  part as (
    select c.id, p.author_id, c.asset, c.service_key, div(sum(c.micros) * p.share_percent, 100)::bigint as micros
    from charge c join svc.plugin p on p.name = c.service_key
      join svc.account payer on payer.id = c.account_id
      join svc.account author on author.id = p.author_id and author.is_test = payer.is_test and author.suspended_at is null
    group by c.id, p.author_id, c.asset, c.service_key, p.share_percent),
  shared as (
    insert into svc.transfer (account_id, job_id, kind, amount_micros, asset, service_key)
      select author_id, id, 'share', micros, asset, service_key from part where micros > 0
      returning account_id, amount_micros)
  update svc.account a set balance_micros = a.balance_micros + gained.micros
    from (select account_id, sum(amount_micros)::bigint as micros from shared group by account_id) gained
    where a.id = gained.account_id;
  perform payment.repay(a.id, a.balance_micros) from svc.account a
    where a.id = any (plugin.list_authors(_ended)) and a.debt_micros > 0;
end $$;

-- What of the shares of a job its authors must have given back, once so much of its charge is refunded.
create or replace function plugin.list_returns(_job uuid)
returns table (account_id uuid, asset text, service_key text, shared bigint, due bigint, returned bigint)
language sql stable as $$
  select t.account_id, t.asset, t.service_key, sum(t.amount_micros) filter (where t.kind = 'share')::bigint,
    div(sum(t.amount_micros) filter (where t.kind = 'share') * r.refunded, j.charged_micros)::bigint,
    coalesce(sum(t.amount_micros) filter (where t.kind <> 'share'), 0)::bigint
  from svc.transfer t join svc.job j on j.id = t.job_id
    cross join lateral (select coalesce(sum(x.amount_micros), 0) as refunded from svc.transfer x
      where x.job_id = j.id and x.kind = 'refund') r
  where t.job_id = _job and t.kind in ('share', 'share_back', 'share_debt')
  group by t.account_id, t.asset, t.service_key, r.refunded, j.charged_micros
$$;

-- Takes the part of a refund back from the authors of a job. What an author has spent already is owed.
create or replace function plugin.take_back(_job uuid) returns void language plpgsql as $$
declare
  _part record;
  _micros bigint;
  _paid bigint;
begin
  for _part in select * from plugin.list_returns(_job) order by account_id, service_key loop
    _micros := _part.due - _part.returned;
    continue when _micros <= 0;
    select least(a.balance_micros, _micros) into _paid from svc.account a where a.id = _part.account_id for no key update;
    update svc.account a set balance_micros = a.balance_micros - _paid, debt_micros = a.debt_micros + _micros - _paid
      where a.id = _part.account_id;
    insert into svc.transfer (account_id, job_id, kind, amount_micros, asset, service_key)
      select _part.account_id, _job, side.kind, side.amount, _part.asset, _part.service_key
      from (values ('share_back'::svc.transfer_kind, _paid), ('share_debt', _micros - _paid)) side (kind, amount)
      where side.amount > 0;
  end loop;
end $$;

-- The accounts that a refund of a job changes, besides that of its caller.
create or replace function plugin.list_shared(_job uuid) returns uuid[] language sql stable as $$
  select coalesce(array_agg(distinct t.account_id), '{}') from svc.transfer t where t.job_id = _job and t.kind = 'share'
$$;

-- Every violated rule of the shares of authors.
create or replace function plugin.check_invariants() returns table (rule text, subject text, detail text)
language sql stable as $$
  with shared as (
    select t.job_id, sum(t.amount_micros) filter (where t.kind = 'share') as shared from svc.transfer t
    where t.kind in ('share', 'share_back', 'share_debt') group by t.job_id)
  select 'authors get at most what was charged', j.id::text, format('%s of %s', s.shared, j.charged_micros)
    from shared s join svc.job j on j.id = s.job_id where s.shared > coalesce(j.charged_micros, 0)
  union all
  select 'a share is given back as its charge is', s.job_id::text, format('%s is not %s', r.returned, r.due)
    from shared s cross join lateral plugin.list_returns(s.job_id) r where r.returned <> r.due
  union all
  select 'only what was shared is given back', s.job_id::text, null from shared s where s.shared is null
$$;
