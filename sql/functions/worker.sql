create or replace function worker.join(_id uuid, _host text, _pid integer, _pools text[], _lanes jsonb, _tools jsonb) returns void
language sql as $$
  insert into svc.worker (id, host, pid, pools, lanes, tools) values (_id, _host, _pid, _pools, _lanes, _tools)
  on conflict (id) do update set pools = excluded.pools, lanes = excluded.lanes, tools = excluded.tools, beat_at = now();
  select pg_notify('changed', 'worker');
$$;

-- One heartbeat: records that this worker is alive and which pools it has, unlocks the jobs of silent workers, and ends jobs
-- past their deadline. One that was silent itself for half of that time judges nobody yet: probably the database was away, and
-- the others are about to be heard of. With `_is_thorough` it also unlocks jobs of pools that belong to no worker: a worker that dies just
-- after it has opened a pool has not reported it yet.
create or replace function worker.beat(_id uuid, _silence_seconds integer, _pools text[], _is_thorough boolean) returns json
language plpgsql as $$
declare
  _silent svc.worker;
  _silence interval := make_interval(secs => _silence_seconds);
  _last timestamptz := (select w.beat_at from svc.worker w where w.id = _id);
  _rescued uuid[] := '{}';
  _known boolean;
  _expired integer;
begin
  update svc.worker set beat_at = clock_timestamp(), pools = _pools where id = _id;
  _known := found;
  for _silent in select * from svc.worker where beat_at < now() - _silence and coalesce(_last > now() - _silence / 2, true)
      for update skip locked loop
    perform lane.unlock_pools(_silent.pools);
    delete from svc.worker where id = _silent.id;
    _rescued := _rescued || _silent.id;
  end loop;
  if _is_thorough or cardinality(_rescued) > 0 then
    perform lane.unlock_orphans(array(select unnest(pools) from svc.worker));
  end if;
  _expired := job.expire();
  perform webhook.release(_rescued);
  return json_build_object('rescued', _rescued, 'expired', _expired, 'known', _known);
end $$;

-- Tells a worker to take no more jobs, or to take some again.
create or replace function worker.drain(_id uuid, _is_draining boolean) returns void language plpgsql as $$
begin
  update svc.worker set draining_at = case when _is_draining then coalesce(draining_at, now()) end where id = _id;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform pg_notify('changed', 'draining');
end $$;

create or replace function worker.is_draining(_id uuid) returns boolean language sql stable as $$
  select coalesce((select w.draining_at is not null from svc.worker w where w.id = _id), false)
$$;

-- Removes workers whose processes are gone, and unlocks at once what they had not finished.
create or replace function worker.reap(_ids uuid[]) returns void language plpgsql as $$
declare
  _worker svc.worker;
begin
  for _worker in delete from svc.worker where id = any (_ids) returning * loop
    perform lane.unlock_pools(_worker.pools);
  end loop;
  perform webhook.release(_ids);
end $$;

-- Removes a worker that has stopped, and unlocks what it could not hand back.
create or replace function worker.leave(_id uuid) returns void language sql as $$
  select worker.reap(array[_id])
$$;

create or replace function worker.list()
returns table (id uuid, host text, pid integer, lanes jsonb, tools jsonb, started_at timestamptz, silent_seconds double precision)
language sql stable as $$
  select w.id, w.host, w.pid, w.lanes, w.tools, w.started_at, extract(epoch from now() - w.beat_at)::double precision
  from svc.worker w order by w.started_at
$$;

-- The former name of worker.reap and the heartbeat without the pools. Workers of the deploy before this one still call them;
-- the next deploy runs:
-- drop function if exists worker.bury(uuid[]), worker.beat(uuid, integer);
