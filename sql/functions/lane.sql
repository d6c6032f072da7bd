-- Decision 0016: share a lane among accounts by priority.

-- Decision 0010: give each lane its own queue schema.

-- Each lane is a queue of its own, in one schema of graphile-worker, so that a million jobs in one lane slow no other down.
-- Within a lane, accounts share the places of all workers: the oldest open jobs of an account, as many as its share has places
-- (half of them, unless a rule says otherwise), have priority 0, and the others have priority 1. A free place goes to a job of
-- priority 1 only while none of priority 0 waits. When a job ends, the next of its account takes its rank, behind the jobs that
-- wait with it. Jobs beyond what an account may run at once are held: their time is infinity until it is their turn. Jobs that
-- are not of priority 0, and those held, are found in the queue by their key. There is one function for each lane, because a
-- statement with a fixed schema keeps its plan.
do $do$
declare
  _lane text;
begin
  foreach _lane in array array['thread', 'native', 'program', 'remote'] loop
    execute format($f$
      create or replace function lane.add_%1$s(_calls svc.call[], _places svc.lane_place[]) returns void language plpgsql as $$
      begin
        perform lane_%1$s.add_jobs(array(
          select row('perform', c.payload, null, case when p.is_held then 'infinity'::timestamptz end, null,
            case when p.id is not null then c.id::text end, p.priority, null)::lane_%1$s.job_spec
          from unnest(_calls) c left join unnest(_places) p on p.id = c.id where c.lane = %1$L order by c.ord));
      end $$;
      create or replace function lane.move_%1$s(_places svc.lane_place[]) returns void language plpgsql as $$
      declare
        _priority integer;
        _jobs bigint[];
      begin
        for _priority, _jobs in
          select p.priority, array_agg(q.id) from unnest(_places) p join lane_%1$s._private_jobs q on q.key = p.id::text
          where q.locked_at is null and (q.priority > p.priority or q.run_at = 'infinity') group by p.priority
        loop
          perform lane_%1$s.reschedule_jobs(_jobs, run_at => now(), priority => _priority);
        end loop;
      end $$ $f$, _lane);
  end loop;
end $do$;

-- Adds jobs to their queues. The notification makes the workers fetch at once; graphile-worker's own names no lane.
create or replace function lane.enqueue(_calls svc.call[]) returns void language plpgsql as $$
declare
  _lane text;
  _jobs bigint;
  _places svc.lane_place[] := lane.find_places(_calls);
begin
  for _lane, _jobs in select c.lane, count(*) from unnest(_calls) c group by c.lane loop
    continue when _lane = 'api'; -- done by the api process that took the call
    case _lane
      when 'thread' then perform lane.add_thread(_calls, _places);
      when 'native' then perform lane.add_native(_calls, _places);
      when 'program' then perform lane.add_program(_calls, _places);
      when 'remote' then perform lane.add_remote(_calls, _places);
    end case;
    perform pg_notify('lane_jobs', _lane || ' ' || _jobs);
  end loop;
end $$;

-- The calls of a batch that are not put where most are. Most accounts have no other open job and no rule, so no more is looked
-- up than that.
create or replace function lane.find_places(_calls svc.call[]) returns svc.lane_place[] language plpgsql stable as $$
begin
  if not exists (select from unnest(_calls) c join svc.job j on j.account_id = c.account_id and j.lane = c.lane
      and j.status in ('submitted', 'running') and j.id <> c.id)
    and not exists (select from unnest(_calls) c join svc.lane_rule r on r.account_id = c.account_id) then
    return '{}';
  end if;
  return array(
    with added as (
      select c.account_id, c.lane, count(*) as calls from unnest(_calls) c where c.lane <> 'api' group by c.account_id, c.lane),
    ruled as (
      select a.account_id, a.lane, rule.share, rule.most, rule.urgency, open.jobs - a.calls as before
      from added a join lane.find_rules(array(select distinct account_id from added), array(select distinct lane from added)) rule
        on rule.account_id = a.account_id and rule.lane = a.lane
      cross join lateral (select count(*) as jobs from (select from svc.job j where j.account_id = a.account_id
        and j.lane = a.lane and j.status in ('submitted', 'running')
        limit greatest(rule.share, rule.most) + a.calls) limited) open),
    ranked as (
      select c.id, c.account_id, c.lane, row_number() over (partition by c.account_id, c.lane order by c.ord) as rank
      from unnest(_calls) c)
    select placed from ranked
    join ruled r on r.account_id = ranked.account_id and r.lane = ranked.lane
    cross join lateral lane.place(ranked.id, r.before + ranked.rank, r.share, r.most, r.urgency) placed
    where placed.priority <> 0 or placed.is_held);
end $$;

-- Where the job of this rank among the open ones of its account is put.
create or replace function lane.place(_id uuid, _rank bigint, _share integer, _most integer, _urgency integer)
returns svc.lane_place language sql immutable as $$
  select row(_id, case when _rank > _share then greatest(_urgency, 0) + 1 else _urgency end,
    coalesce(_rank > _most, false))::svc.lane_place
$$;

-- Gives the next jobs of accounts whose jobs have ended their rank. The accounts are locked, so no call of theirs is being
-- added meanwhile.
create or replace function lane.promote(_ended svc.job[]) returns void language plpgsql as $$
begin
  -- Calls that the api performs itself wait in no queue.
  if not exists (select from unnest(_ended) e join svc.job j on j.account_id = e.account_id and j.lane = e.lane
      and j.status in ('submitted', 'running') where e.lane <> 'api') then
    return;
  end if;
  perform lane.promote_accounts(array(select distinct account_id from unnest(_ended)),
    array(select distinct lane from unnest(_ended) where lane <> 'api'), 0);
end $$;

-- Puts the oldest open jobs of accounts where their rank says: as many as they may have at once, or as their share has places.
-- Without a limit of jobs at once, it lets at least `_least` go that were held by one.
create or replace function lane.promote_accounts(_accounts uuid[], _lanes text[], _least integer) returns void language plpgsql as $$
declare
  _lane text;
  _places svc.lane_place[];
begin
  for _lane, _places in
    select rule.lane, array_agg(placed)
    from lane.find_rules(_accounts, _lanes) rule
    cross join lateral (select j.id, row_number() over (order by j.id) as rank from svc.job j
      where j.account_id = rule.account_id and j.lane = rule.lane and j.status in ('submitted', 'running')
      order by j.id limit coalesce(rule.most, greatest(rule.share, _least))) oldest
    cross join lateral lane.place(oldest.id, oldest.rank, rule.share, rule.most, rule.urgency) placed
    group by rule.lane
  loop
    case _lane
      when 'thread' then perform lane.move_thread(_places);
      when 'native' then perform lane.move_native(_places);
      when 'program' then perform lane.move_program(_places);
      when 'remote' then perform lane.move_remote(_places);
      else null;
    end case;
  end loop;
end $$;

create or replace function lane.unlock_pools(_pools text[]) returns void language plpgsql as $$
begin
  if cardinality(_pools) > 0 then
    perform lane_thread.force_unlock_workers(_pools);
    perform lane_native.force_unlock_workers(_pools);
    perform lane_program.force_unlock_workers(_pools);
    perform lane_remote.force_unlock_workers(_pools);
    perform step.unlock_pools(_pools);
  end if;
end $$;

-- Unlocks the jobs that these pools have fetched but not begun.
create or replace function lane.unlock_unbegun(_lane text, _pools text[], _begun bigint[]) returns void language plpgsql as $$
begin
  execute format('update lane_%s._private_jobs set locked_at = null, locked_by = null
    where locked_by = any ($1) and id <> all ($2)', _lane) using _pools, _begun;
end $$;

-- Unlocks the jobs that pools other than these have locked for a while. A pool reports itself with the next heartbeat of its
-- worker, so a young lock may belong to a pool that is not known yet. A queue of graphile-worker's is locked with its job.
create or replace function lane.unlock_orphans(_known_pools text[]) returns void language plpgsql as $$
declare
  _lane text;
begin
  foreach _lane in array array['thread', 'native', 'program', 'remote', 'step'] loop
    execute format('with job as (update lane_%1$s._private_jobs set locked_at = null, locked_by = null
        where locked_at < now() - interval ''10 seconds'' and locked_by <> all ($1))
      update lane_%1$s._private_job_queues set locked_at = null, locked_by = null
        where locked_at < now() - interval ''10 seconds'' and locked_by <> all ($1)', _lane) using _known_pools;
  end loop;
end $$;

-- graphile-worker waits e^attempts seconds before it delivers a failed job again, and gives a job up after 25 deliveries, but
-- deliveries to workers that died count too. So a failed job comes back within seconds, and our own counts decide when to stop.
create or replace function lane.limit_delay() returns trigger language plpgsql as $$
begin
  new.run_at := least(new.run_at, now() + interval '3 seconds');
  if new.max_attempts >= 25 then
    new.attempts := least(new.attempts, 20);
  end if;
  return new;
end $$;

do $do$
declare
  _lane text;
begin
  foreach _lane in array array['thread', 'native', 'program', 'remote'] loop
    execute format('create or replace trigger limit_delay before update of run_at on lane_%s._private_jobs
      for each row when (new.run_at > old.run_at) execute function lane.limit_delay()', _lane);
  end loop;
end $do$;

create or replace function lane.depths()
returns table (lane text, waiting bigint, running bigint, oldest_seconds double precision) language sql stable as $$
  select lane, count(*) filter (where locked_at is null and attempts < max_attempts), count(*) filter (where locked_at is not null),
    coalesce(extract(epoch from now() - min(run_at) filter (where locked_at is null and run_at <= now() and attempts < max_attempts)), 0)
  from (
    select 'thread' as lane, locked_at, run_at, attempts, max_attempts from lane_thread.jobs
    union all select 'native', locked_at, run_at, attempts, max_attempts from lane_native.jobs
    union all select 'program', locked_at, run_at, attempts, max_attempts from lane_program.jobs
    union all select 'remote', locked_at, run_at, attempts, max_attempts from lane_remote.jobs where task_identifier = 'perform') j
  group by lane
$$;

-- Former functions. A batch may be inside them while a database is upgraded, so they stay for one deploy; the next one removes them here
-- and runs:
-- drop function if exists lane.enqueue_thread(svc.call[], uuid[]), lane.enqueue_native(svc.call[], uuid[]),
--   lane.enqueue_program(svc.call[], uuid[]), lane.enqueue_remote(svc.call[], uuid[]), lane.promote_thread(uuid[]),
--   lane.promote_native(uuid[]), lane.promote_program(uuid[]), lane.promote_remote(uuid[]),
--   lane.find_beyond_share(svc.call[]), lane.measure_share(text);
do $do$
declare
  _lane text;
begin
  foreach _lane in array array['thread', 'native', 'program', 'remote'] loop
    execute format($f$
      create or replace function lane.enqueue_%1$s(_calls svc.call[], _beyond_share uuid[]) returns void language plpgsql as $$
      begin
        perform lane_%1$s.add_jobs(array(
          select row('perform', c.payload, null, null, null, case when c.id = any (_beyond_share) then c.id::text end,
            case when c.id = any (_beyond_share) then 1 end, null)::lane_%1$s.job_spec
          from unnest(_calls) c where c.lane = %1$L order by c.ord));
      end $$;
      create or replace function lane.promote_%1$s(_ids uuid[]) returns void language plpgsql as $$
      declare
        _jobs bigint[] := array(select q.id from lane_%1$s._private_jobs q
          where q.key = any (_ids::text[]) and q.priority > 0 and q.locked_at is null);
      begin
        if cardinality(_jobs) > 0 then
          perform lane_%1$s.reschedule_jobs(_jobs, run_at => now(), priority => 0);
        end if;
      end $$ $f$, _lane);
  end loop;
end $do$;

create or replace function lane.measure_share(_lane text) returns integer language plpgsql stable as $$
begin
  return (select greatest(1, coalesce(sum((w.lanes ->> _lane)::integer), 0) / 2) from svc.worker w);
end $$;

create or replace function lane.find_beyond_share(_calls svc.call[]) returns uuid[] language plpgsql stable as $$
begin
  if not exists (select from unnest(_calls) c join svc.job j on j.account_id = c.account_id and j.lane = c.lane
      and j.status in ('submitted', 'running') and j.id <> c.id) then
    return '{}';
  end if;
  return array(
    with places as (
      select added.account_id, added.lane, share.size + added.calls - open.jobs as free
      from (select c.account_id, c.lane, count(*) as calls from unnest(_calls) c group by c.account_id, c.lane) added
      join (select l.lane, lane.measure_share(l.lane) as size from (select distinct lane from unnest(_calls)) l) share
        on share.lane = added.lane
      cross join lateral (select count(*) as jobs from (select from svc.job j where j.account_id = added.account_id
        and j.lane = added.lane and j.status in ('submitted', 'running') limit share.size + added.calls) limited) open)
    select ranked.id
    from (select c.id, c.account_id, c.lane, row_number() over (partition by c.account_id, c.lane order by c.ord) as rank
      from unnest(_calls) c) ranked
    join places on places.account_id = ranked.account_id and places.lane = ranked.lane
    where ranked.rank > places.free);
end $$;

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists lane.unlock(text[]), lane.enqueue_thread(svc.call[]), lane.enqueue_native(svc.call[]),
--   lane.enqueue_program(svc.call[]), lane.enqueue_remote(svc.call[]);
