create or replace function worker.join(_id uuid, _host text, _pid integer, _pools text[], _lanes jsonb, _tools jsonb) returns void
language sql as $$
  insert into svc.worker (id, host, pid, pools, lanes, tools) values (_id, _host, _pid, _pools, _lanes, _tools)
  on conflict (id) do update set pools = excluded.pools, lanes = excluded.lanes, tools = excluded.tools, beat_at = now();
  select pg_notify('changed', 'worker');
$$;

-- One beat: says that this worker lives, frees what silent ones had locked, and ends jobs past their deadline.
create or replace function worker.beat(_id uuid, _silence_seconds integer) returns json language plpgsql as $$
declare
  _dead svc.worker;
  _rescued uuid[] := '{}';
  _known boolean;
begin
  update svc.worker set beat_at = clock_timestamp() where id = _id;
  _known := found;
  for _dead in select * from svc.worker where beat_at < now() - make_interval(secs => _silence_seconds) for update skip locked loop
    perform lane.unlock(_dead.pools);
    delete from svc.worker where id = _dead.id;
    _rescued := _rescued || _dead.id;
  end loop;
  return json_build_object('rescued', _rescued, 'expired', job.expire(), 'known', _known);
end $$;

-- Takes over at once from workers of the same machine whose process is known to be gone.
create or replace function worker.bury(_ids uuid[]) returns void language plpgsql as $$
declare
  _id uuid;
begin
  foreach _id in array _ids loop
    perform worker.leave(_id);
  end loop;
end $$;

-- A worker that stops in good order has nothing to rescue, except what it could not hand back.
create or replace function worker.leave(_id uuid) returns void language plpgsql as $$
declare
  _pools text[];
begin
  delete from svc.worker where id = _id returning pools into _pools;
  if _pools is not null then
    perform lane.unlock(_pools);
  end if;
end $$;

create or replace function worker.list()
returns table (id uuid, host text, pid integer, lanes jsonb, tools jsonb, started_at timestamptz, silent_seconds double precision)
language sql stable as $$
  select w.id, w.host, w.pid, w.lanes, w.tools, w.started_at, extract(epoch from now() - w.beat_at)::double precision
  from svc.worker w order by w.started_at
$$;
