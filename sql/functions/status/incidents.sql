-- Incidents: what operators tell customers of trouble, and what became of it.

create or replace function status.open_incident(_title text, _impact text, _components text[], _text text) returns uuid
language plpgsql as $$
declare
  _id uuid;
begin
  perform status.require_text('title', _title, 200);
  perform status.require_text('text', _text, 4000);
  if _impact is null or _impact not in ('degraded', 'outage', 'maintenance') then
    raise exception 'INVALID_PARAM' using errcode = 'SVC01',
      detail = json_build_object('field', 'impact', 'reason', 'It is degraded, outage or maintenance.')::text;
  end if;
  insert into svc.incident (title, impact, components) values (trim(_title), _impact, coalesce(_components, '{}')) returning id into _id;
  insert into svc.incident_update (incident_id, state, text) values (_id, 'investigating', trim(_text));
  return _id;
end $$;

-- Tells how it goes on. `resolved` ends an incident, which nothing can be added to then.
create or replace function status.update_incident(_id uuid, _state text, _text text) returns void language plpgsql as $$
begin
  perform status.require_text('text', _text, 4000);
  if _state is null or _state not in ('investigating', 'identified', 'monitoring', 'resolved') then
    raise exception 'INVALID_PARAM' using errcode = 'SVC01',
      detail = json_build_object('field', 'state', 'reason', 'It is investigating, identified, monitoring or resolved.')::text;
  end if;
  update svc.incident set updated_at = now(), resolved_at = case when _state = 'resolved' then now() end
    where id = _id and resolved_at is null;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  insert into svc.incident_update (incident_id, state, text) values (_id, _state, trim(_text));
end $$;

create or replace function status.require_text(_field text, _text text, _most integer) returns void language plpgsql as $$
begin
  if coalesce(trim(_text), '') = '' or length(_text) > _most then
    raise exception 'INVALID_PARAM' using errcode = 'SVC01',
      detail = json_build_object('field', _field, 'reason', format('It has 1 to %s characters.', _most))::text;
  end if;
end $$;

-- Those that are open and those of some days, the newest first, each with its updates, the newest first.
create or replace function status.list_incidents(_days integer, _limit integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('id', i.id, 'title', i.title, 'impact', i.impact, 'components', i.components,
      'openedAt', i.opened_at, 'updatedAt', i.updated_at, 'resolvedAt', i.resolved_at,
      'updates', (select json_agg(json_build_object('state', u.state, 'text', u.text, 'at', u.created_at) order by u.id desc)
        from svc.incident_update u where u.incident_id = i.id)) order by i.opened_at desc, i.id), '[]')
  from (select * from svc.incident where resolved_at is null or opened_at > now() - make_interval(days => _days)
    order by opened_at desc, id limit _limit) i
$$;
