-- Each lane is a queue of its own, in one schema of graphile-worker, so that a million jobs in one lane slow no other down.
-- graphile-worker notifies the runners of all lanes in a database. This notification comes first and names the lane, so that
-- the others can ignore it: see workers/lane-notify.ts. There is one function for each lane, because a statement with a fixed
-- schema keeps its plan.
do $do$
declare
  _lane text;
begin
  foreach _lane in array array['thread', 'native', 'program', 'remote'] loop
    execute format($f$
      create or replace function lane.enqueue_%1$s(_calls svc.call[]) returns void language plpgsql as $$
      begin
        perform pg_notify('job_lane', %1$L);
        perform lane_%1$s.add_jobs(array(
          select row('perform', c.payload, null, null, null, null, null, null)::lane_%1$s.job_spec
          from unnest(_calls) c where c.lane = %1$L order by c.ord));
      end $$ $f$, _lane);
  end loop;
end $do$;

create or replace function lane.enqueue(_calls svc.call[]) returns void language plpgsql as $$
declare
  _lane text;
begin
  for _lane in select distinct lane from unnest(_calls) loop
    case _lane
      when 'thread' then perform lane.enqueue_thread(_calls);
      when 'native' then perform lane.enqueue_native(_calls);
      when 'program' then perform lane.enqueue_program(_calls);
      when 'remote' then perform lane.enqueue_remote(_calls);
      when 'api' then null; -- done by the api process that took the call
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
  end if;
end $$;

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

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists lane.unlock(text[]);
