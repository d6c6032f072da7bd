-- Lanes, workers and steps.

create or replace function admin.lanes() returns table (lane text, workers bigint, slots bigint, running bigint, waiting bigint,
  oldest_seconds integer, wait_p95_ms integer, run_p95_ms integer) language sql stable as $$
  with recent as (
    select j.lane, (percentile_cont(0.95) within group (order by extract(epoch from j.started_at - j.created_at)) * 1000)::integer
        as wait_ms, (percentile_cont(0.95) within group (order by extract(epoch from j.finished_at - j.started_at)) * 1000)::integer as run_ms
    from svc.job j where j.id >= job.first_id(now() - interval '15 minutes') and j.finished_at is not null and j.started_at is not null
    group by 1),
  open as (
    select j.lane, count(*) filter (where j.status = 'running') as running, count(*) filter (where j.status = 'submitted') as waiting,
      extract(epoch from now() - min(j.created_at) filter (where j.status = 'submitted'))::integer as oldest
    from svc.job j where j.status in ('submitted', 'running') group by 1)
  select l.lane, (select count(*) from svc.worker w where w.lanes ? l.lane),
    (select coalesce(sum((w.lanes ->> l.lane)::bigint), 0) from svc.worker w), coalesce(o.running, 0), coalesce(o.waiting, 0),
    o.oldest, r.wait_ms, r.run_ms
  from unnest('{thread,native,program,remote}'::text[]) l (lane) left join open o on o.lane = l.lane left join recent r on r.lane = l.lane
$$;

create view admin.worker as
  select w.id, w.host, w.pid, w.lanes, w.tools, w.started_at, w.beat_at, w.draining_at,
    (select count(*) from svc.job j where j.worker_id = w.id and j.status = 'running') as running
  from svc.worker w;
comment on view admin.worker is E'@primaryKey id\nProcesses that take jobs.';

-- Tells a worker to take no more jobs and to stop when it has finished what it runs; or to go on.
create or replace function admin.drain_worker(_id uuid, _is_draining boolean) returns admin.worker language plpgsql volatile as $$
declare
  _worker admin.worker;
begin
  perform operator.require('full');
  perform worker.drain(_id, _is_draining);
  select * into _worker from admin.worker w where w.id = _id;
  perform operator.record(case when _is_draining then 'worker.drain' else 'worker.undrain' end, _worker.host || ' ' || _worker.pid,
    null, null, null);
  return _worker;
end $$;

create view admin.step as
  select s.id, s.name, s.key, s.state, s.attempts, s.max_attempts, s.run_at, s.last_error, s.payload::jsonb as payload
  from step.list(10000) s;
comment on view admin.step is E'@primaryKey id\n@behavior +attribute:filterBy\nBackground work of products.';

-- Runs a step that has failed once more; without an id all that are dead.
create or replace function admin.retry_step(_id text) returns integer language plpgsql volatile as $$
declare
  _retried integer;
begin
  perform operator.require('support');
  _retried := step.retry(_id::bigint);
  perform operator.record('step.retry', coalesce(_id, 'all'), null, to_jsonb(_retried), null);
  return _retried;
end $$;
