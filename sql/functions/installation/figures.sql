-- What metrics and the status page tell of the database, in one round trip. Each part reads an index of what is open.
create or replace function installation.measure() returns json language sql stable as $$
  select json_build_object(
    'holds', (select json_build_object('open', count(*),
        'oldest_seconds', coalesce(extract(epoch from now() - min(j.created_at)), 0))
      from svc.job j where j.status in ('submitted', 'running') and j.held_micros > 0),
    'payments', (select json_agg(json_build_object('state', s.state, 'count', coalesce(c.chunks, 0),
        'oldestSeconds', coalesce(extract(epoch from now() - c.oldest), 0)) order by s.state)
      from unnest('{claimed,pending,sending,unknown}'::svc.chunk_state[]) s (state)
      left join (select c.state, count(*) as chunks, min(c.created_at) as oldest from svc.chunk c
        where c.state in ('claimed', 'pending', 'sending', 'unknown') group by 1) c on c.state = s.state),
    'webhooks', installation.measure_webhooks(),
    'openIncidents', (select count(*) from svc.incident i where i.resolved_at is null))
$$;

-- Deliveries to endpoints that are paused wait on purpose; so do those that will be tried again later.
create or replace function installation.measure_webhooks() returns json language sql stable as $$
  select json_build_object('due', count(*), 'oldest_seconds', coalesce(extract(epoch from now() - min(d.due_at)), 0),
    'disabled', (select count(*) from svc.webhook_endpoint e where not e.is_active and e.deleted_at is null))
  from svc.webhook_endpoint e join svc.webhook_delivery d on d.endpoint_id = e.id
  where e.next_at <= now() and d.worker_id is null and d.due_at <= now()
    and (e.paused_until is null or e.paused_until <= now())
$$;
