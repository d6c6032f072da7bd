-- Incidents as operators write them.

create view admin.incident as
  select i.id, i.title, i.impact, i.components, i.opened_at, i.updated_at, i.resolved_at from svc.incident i;
comment on view admin.incident is E'@primaryKey id\nTrouble that customers are told of.';

create or replace function admin.open_incident(_title text, _impact text, _components text[], _text text) returns admin.incident
language plpgsql volatile as $$
declare
  _id uuid;
  _incident admin.incident;
begin
  perform operator.require('support');
  _id := status.open_incident(_title, _impact, _components, _text);
  select * into _incident from admin.incident i where i.id = _id;
  perform operator.record('incident.open', _id::text, null, to_jsonb(_incident), _text);
  return _incident;
end $$;

-- Tells how an incident goes on; the state resolved ends it.
create or replace function admin.update_incident(_id uuid, _state text, _text text) returns admin.incident
language plpgsql volatile as $$
declare
  _incident admin.incident;
begin
  perform operator.require('support');
  perform status.update_incident(_id, _state, _text);
  select * into _incident from admin.incident i where i.id = _id;
  perform operator.record('incident.update', _id::text, null, to_jsonb(_state), _text);
  return _incident;
end $$;
