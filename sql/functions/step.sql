-- Decision 0220: run steps beside the lanes.

-- Steps are the background work of products: see tasks/kit/step.ts. They have a queue of graphile-worker of their own, which
-- every worker takes from, so that the jobs of callers never delay them.

-- Queues a step in the transaction that makes it necessary. Queued again under the same key before it has begun, it is replaced
-- with its time; while it runs, it will run once more, perhaps beside it unless it is in a queue of graphile-worker's, of which
-- one job runs at a time. It is tried 12 times, within some 16 hours.
create or replace function step.queue_in(_queue text, _name text, _payload json, _run_at timestamptz, _key text) returns void
language plpgsql as $$
begin
  perform lane_step.add_job(_name, _payload, queue_name => _queue, run_at => _run_at, job_key => _name || ':' || _key,
    max_attempts => 12);
  if _run_at <= now() then
    perform pg_notify('lane_jobs', 'step 1');
  end if;
end $$;

create or replace function step.queue(_name text, _payload json, _run_at timestamptz, _key text) returns void language sql as $$
  select step.queue_in(null, _name, _payload, _run_at, _key)
$$;

-- Queues a step that a caller waits for: it goes before those that nobody waits for.
create or replace function step.queue_first(_name text, _payload json, _key text) returns void language plpgsql as $$
begin
  perform lane_step.add_job(_name, _payload, run_at => now(), job_key => _name || ':' || _key, max_attempts => 12, priority => -1);
  perform pg_notify('lane_jobs', 'step 1');
end $$;

-- Queues what a step does next under its own key, unless that was queued by somebody else for a time that is not later: what was
-- asked for while the step ran is not put off, and its payload is the newer one.
create or replace function step.queue_next_in(_queue text, _name text, _payload json, _run_at timestamptz, _key text) returns void
language sql as $$
  select step.queue_in(_queue, _name, _payload, _run_at, _key) where not exists (
    select from lane_step._private_jobs j where j.key = _name || ':' || _key and j.locked_at is null
      and j.attempts < j.max_attempts and j.run_at <= _run_at)
$$;

create or replace function step.queue_next(_name text, _payload json, _run_at timestamptz, _key text) returns void language sql as $$
  select step.queue_next_in(null, _name, _payload, _run_at, _key)
$$;

-- Removes steps that have become needless; what runs already is left to its end.
create or replace function step.drop(_name text, _keys text[]) returns void language sql as $$
  delete from lane_step._private_jobs j
  where j.key = any (array(select _name || ':' || k from unnest(_keys) k)) and j.locked_at is null
$$;

-- The steps with the state of each. One that was replaced while it ran has lost its key, and is none any more.
create or replace function step.list(_limit integer) returns table (id text, name text, key text, state text, attempts integer,
  max_attempts integer, run_at timestamptz, last_error text, payload json) language sql stable as $$
  select j.id::text, t.identifier, substr(j.key, length(t.identifier) + 2), step.state_of(j), j.attempts, j.max_attempts,
    j.run_at, case when j.attempts > 0 and j.locked_at is null then coalesce(j.last_error, 'Its worker died.') end, j.payload
  from lane_step._private_jobs j join lane_step._private_tasks t on t.id = j.task_id where j.key is not null
  order by array_position('{dead,failing,running,waiting}', step.state_of(j)), j.run_at, j.id limit _limit
$$;

create or replace function step.state_of(_job lane_step._private_jobs) returns text language sql immutable as $$
  select case when _job.locked_at is not null then 'running' when _job.attempts >= _job.max_attempts then 'dead'
    when _job.attempts > 0 then 'failing' else 'waiting' end
$$;

create or replace function step.count() returns table (state text, steps bigint) language sql stable as $$
  select s.state, count(j.id) from unnest('{dead,failing,running,waiting}'::text[]) s (state)
    left join lane_step._private_jobs j on j.key is not null and step.state_of(j) = s.state group by s.state
$$;

-- Runs a step that has failed again, or without an id all dead ones, as if for the first time. Returns how many it was.
create or replace function step.retry(_id bigint) returns integer language plpgsql as $$
declare
  _ids bigint[] := array(select j.id from lane_step._private_jobs j where j.key is not null
    and case when _id is null then step.state_of(j) = 'dead' else j.id = _id and step.state_of(j) in ('dead', 'failing') end);
begin
  perform lane_step.reschedule_jobs(_ids, run_at => now(), attempts => 0);
  perform pg_notify('lane_jobs', 'step ' || cardinality(_ids));
  return cardinality(_ids);
end $$;

-- Unlocks the steps of runners that are gone, but for those that were replaced meanwhile.
create or replace function step.unlock_pools(_pools text[]) returns void language plpgsql as $$
begin
  perform lane_step.force_unlock_workers(_pools);
  delete from lane_step._private_jobs where key is null and locked_at is null;
end $$;

-- Unlocks the steps of runners that fetch no more, but for those that run yet.
create or replace function step.unlock_idle(_pools text[], _running bigint[]) returns void language plpgsql as $$
begin
  with unlocked as (update lane_step._private_jobs j set locked_at = null, locked_by = null
      where j.locked_by = any (_pools) and j.id <> all (_running) returning j.job_queue_id)
    update lane_step._private_job_queues q set locked_at = null, locked_by = null
    from unlocked u where q.id = u.job_queue_id and q.locked_by = any (_pools);
  delete from lane_step._private_jobs where key is null and locked_at is null;
end $$;

create or replace function step.count_due(_name text) returns bigint language sql stable as $$
  select count(*) from lane_step._private_jobs j join lane_step._private_tasks t on t.id = j.task_id
  where t.identifier = _name and j.key is not null and j.run_at <= now()
$$;

-- What a step names: ids in its key and its payload.
create or replace function step.list_ids(_job lane_step._private_jobs) returns uuid[] language sql immutable as $$
  select array(select m[1]::uuid from regexp_matches(concat_ws(' ', _job.key, _job.payload),
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') m)
$$;

-- The records of an account that are named by steps that have failed.
create or replace function step.list_failed_of(_account uuid) returns uuid[] language sql stable as $$
  select account.find_records(_account, array(select distinct i from lane_step._private_jobs j cross join unnest(step.list_ids(j)) i
    where step.state_of(j) in ('dead', 'failing')))
$$;

-- After these records of an account were erased: steps that have failed and name one that is gone go too. Those that remove
-- something elsewhere outlast the account, and are tried again where they had been given up. Returns how many have gone.
create or replace function step.erase_failed(_account uuid, _records uuid[], _lasting text[]) returns integer language plpgsql as $$
declare
  _gone uuid[] := array(select unnest(_records) except select unnest(account.find_records(_account, _records))) || _account;
  _ids bigint[];
  _erased integer;
begin
  _ids := array(select j.id from lane_step._private_jobs j join lane_step._private_tasks t on t.id = j.task_id
    where t.identifier = any (_lasting) and j.key is not null and step.state_of(j) = 'dead' and step.list_ids(j) && _gone);
  perform lane_step.reschedule_jobs(_ids, run_at => now(), attempts => 0);
  delete from lane_step._private_jobs j using lane_step._private_tasks t
    where t.id = j.task_id and t.identifier <> all (_lasting) and step.state_of(j) in ('dead', 'failing') and step.list_ids(j) && _gone;
  get diagnostics _erased = row_count;
  return _erased;
end $$;

-- Deletes dead steps that failed for the last time so many days ago, but for those that remove something elsewhere. One that was
-- replaced while it ran, and failed, is deleted at once.
create or replace function step.forget_dead(_days integer, _lasting text[], _limit integer) returns bigint language sql as $$
  with forgotten as (
    delete from lane_step._private_jobs where id in (
      select j.id from lane_step._private_jobs j join lane_step._private_tasks t on t.id = j.task_id
      where step.state_of(j) = 'dead' and (j.key is null
        or t.identifier <> all (_lasting) and j.run_at < now() - make_interval(days => _days))
      order by j.id limit _limit for update of j skip locked)
    returning id)
  select count(*) from forgotten
$$;
