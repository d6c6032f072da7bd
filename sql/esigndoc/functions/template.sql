create or replace function esigndoc.format_template_id(_id uuid) returns text language sql immutable as $$
  select 'tpl_' || replace(_id::text, '-', '')
$$;

-- Makes a template, or with an id that there is its next version. What was made with an earlier one keeps to that.
create or replace function esigndoc.save_template(_account uuid, _template json) returns json language plpgsql as $$
declare
  _row svc.envelope_template;
begin
  if (_template ->> 'isNew')::boolean then
    insert into svc.envelope_template (id, account_id, name, version)
      values ((_template ->> 'id')::uuid, _account, _template ->> 'name', 1) returning * into _row;
  else
    _row := esigndoc.lock_template(_account, (_template ->> 'id')::uuid);
    update svc.envelope_template set version = version + 1, name = _template ->> 'name', updated_at = now() where id = _row.id
      returning * into _row;
  end if;
  insert into svc.envelope_template_version (template_id, version, files, roles, fields, defaults)
    values (_row.id, _row.version, _template -> 'files', _template -> 'roles', _template -> 'fields', _template -> 'defaults');
  perform esigndoc.keep_template_objects(_row);
  return esigndoc.show_template(_row, _row.version);
end $$;

create or replace function esigndoc.keep_template_objects(_row svc.envelope_template) returns void language plpgsql as $$
declare
  _keys text[] := array(
    select distinct k from svc.envelope_template_version v, json_array_elements(v.files) f,
      unnest(array[f #>> '{original,key}', f #>> '{content,key}']) k
    where v.template_id = _row.id and v.version = _row.version);
begin
  update svc.object set expires_at = 'infinity' where key = any (_keys) and account_id = _row.account_id and kind = 'signing';
  if (select count(*) from svc.object where key = any (_keys) and expires_at = 'infinity') < cardinality(_keys) then
    raise exception 'INPUT_GONE' using errcode = 'SVC01';
  end if;
end $$;

create or replace function esigndoc.lock_template(_account uuid, _id uuid) returns svc.envelope_template language plpgsql as $$
declare
  _row svc.envelope_template;
begin
  select * into _row from svc.envelope_template where id = _id and account_id = _account and deleted_at is null for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01', detail = '{"field":"templateId"}';
  end if;
  return _row;
end $$;

create or replace function esigndoc.show_template(_row svc.envelope_template, _version integer) returns json
language sql stable as $$
  select json_build_object('id', esigndoc.format_template_id(_row.id), 'name', _row.name, 'version', v.version,
    'files', v.files, 'roles', v.roles, 'fields', v.fields, 'defaults', v.defaults, 'createdAt', _row.created_at,
    'updatedAt', v.created_at)
  from svc.envelope_template_version v where v.template_id = _row.id and v.version = _version
$$;

create or replace function esigndoc.read_template(_account uuid, _id uuid) returns json language plpgsql as $$
declare
  _row svc.envelope_template := esigndoc.lock_template(_account, _id);
begin
  return esigndoc.show_template(_row, _row.version);
end $$;

create or replace function esigndoc.list_templates(_account uuid, _limit integer, _offset integer) returns json
language sql stable as $$
  select coalesce(json_agg(esigndoc.show_template(t::svc.envelope_template, t.version) order by t.created_at desc, t.id), '[]') from (
    select * from svc.envelope_template where account_id = _account and deleted_at is null
    order by created_at desc, id limit _limit offset _offset) t
$$;

-- What was made with a template stays, and keeps its documents.
create or replace function esigndoc.delete_template(_account uuid, _id uuid) returns void language plpgsql as $$
declare
  _row svc.envelope_template := esigndoc.lock_template(_account, _id);
begin
  update svc.envelope_template set deleted_at = now() where id = _row.id;
end $$;
