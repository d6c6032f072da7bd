-- Saves a definition as the next version of its name. An account may have `_max` versions, whatever their names.
create or replace function pipeline.save(_account uuid, _name text, _definition json, _max integer) returns json
language plpgsql as $$
declare
  _saved svc.pipeline;
begin
  perform from svc.account where id = _account for no key update;
  if (select count(*) from svc.pipeline where account_id = _account) >= _max then
    raise exception 'TOO_MANY_PIPELINES' using errcode = 'SVC01', detail = json_build_object('limit', _max)::text;
  end if;
  insert into svc.pipeline (account_id, name, version, definition)
    select _account, _name, coalesce(max(version), 0) + 1, _definition from svc.pipeline
      where account_id = _account and name = _name
    returning * into _saved;
  return pipeline.describe(_saved);
end $$;

create or replace function pipeline.describe(_pipeline svc.pipeline) returns json language sql stable as $$
  select json_build_object('name', _pipeline.name, 'version', _pipeline.version, 'createdAt', _pipeline.created_at,
    'definition', _pipeline.definition)
$$;

-- The version that is asked for, or the latest; null if there is none.
create or replace function pipeline.find(_account uuid, _name text, _version integer) returns json language sql stable as $$
  select pipeline.describe(p) from svc.pipeline p
    where p.account_id = _account and p.name = _name and (_version is null or p.version = _version)
    order by p.version desc limit 1
$$;

-- The latest version of each name, or with `_name` all of its versions, the newest first.
create or replace function pipeline.list(_account uuid, _name text, _limit integer, _offset integer)
returns table (name text, version integer, created_at timestamptz, description text) language sql stable as $$
  select p.name, p.version, p.created_at, p.definition ->> 'description' from svc.pipeline p
    where p.account_id = _account and case when _name is null then not exists (select from svc.pipeline newer
      where newer.account_id = p.account_id and newer.name = p.name and newer.version > p.version) else p.name = _name end
    order by p.name, p.version desc limit _limit offset _offset
$$;

-- Deletes a pipeline with all its versions. Returns how many there were.
create or replace function pipeline.remove(_account uuid, _name text) returns integer language sql as $$
  with removed as (delete from svc.pipeline where account_id = _account and name = _name returning 1)
  select count(*)::integer from removed
$$;

-- Gives the pipelines of a wallet's own account to the one that it is linked to. Names that are taken there stay.
create or replace function pipeline.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.pipeline p set account_id = _to where p.account_id = _from
    and not exists (select from svc.pipeline o where o.account_id = _to and o.name = p.name)
$$;
