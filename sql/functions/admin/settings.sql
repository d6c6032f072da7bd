-- Settings and prices: what they are, how they changed, and what a change would have done.

create view admin.setting as
  select t.name, t.kind, t.standard, t.least, t.most, t.summary, coalesce(s.value, t.standard) as value, s.value is not null as is_changed,
    s.updated_at
  from svc.tunable t left join svc.setting s on s.name = t.name;
comment on view admin.setting is E'@primaryKey name\nWhat can be changed without a restart.';

create view admin.price as
  select p.service_key, p.rate_micros, p.base_micros, p.updated_at from svc.price p;
comment on view admin.price is E'@primaryKey service_key\nPrices that differ from those declared.';

create view admin.change as
  select c.id, c.kind, c.name, c.before, c.after, c.actor, c.state, c.created_at, c.due_at from svc.setting_change c;
comment on view admin.change is E'@primaryKey id\n@behavior +attribute:filterBy\nChanges of settings and prices, also those to come.';

-- Changes a setting; null restores what is standard. With a later moment it is changed then.
create or replace function admin.set_setting(_name text, _value jsonb, _due timestamptz) returns admin.setting
language plpgsql volatile as $$
declare
  _fault text := setting.find_fault(_name, nullif(_value, 'null'));
  _setting admin.setting;
begin
  perform operator.require('full');
  if _fault is not null then
    raise exception 'INVALID_PARAM' using errcode = 'SVC01', detail = json_build_object('field', _name, 'reason', _fault)::text;
  end if;
  perform console.change_value('setting', _name, nullif(_value, 'null'), _due);
  select * into _setting from admin.setting s where s.name = _name;
  return _setting;
end $$;


-- Takes a change back: one that is to come is cancelled, one that was made is undone if nothing has changed it since.
create or replace function admin.undo_change(_id bigint) returns admin.change language plpgsql volatile as $$
declare
  _change svc.setting_change;
  _undone admin.change;
begin
  perform operator.require('full');
  select * into _change from svc.setting_change where id = _id for no key update;
  if _change.id is null or _change.state = 'cancelled' then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _change.state = 'scheduled' then
    update svc.setting_change set state = 'cancelled' where id = _id;
    perform operator.record(_change.kind || '.cancel', _change.name, null, null, null);
  elsif console.current_value(_change.kind, _change.name) is distinct from _change.after then
    raise exception 'VERSION_CONFLICT' using errcode = 'SVC01';
  else
    perform console.change_value(_change.kind, _change.name, _change.before, now());
  end if;
  select * into _undone from admin.change c where c.id = _id;
  return _undone;
end $$;
