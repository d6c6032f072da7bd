-- Decision 0552: keep added operations in the database.

-- Operations that an operator has added, from the files of a folder.

-- Puts a version of a file into service. Of two files with one name the first keeps it.
create or replace function plugin.put(_file text, _plugin json, _code bytea) returns boolean language plpgsql as $$
declare
  _version text := _plugin ->> 'version';
  _name text := _plugin ->> 'name';
  _author uuid := plugin.find_author(_plugin ->> 'author');
begin
  perform pg_advisory_xact_lock(hashtext('plugins'));
  if exists (select from svc.plugin where name = _name and file <> _file) then
    raise exception 'PLUGIN_INVALID' using errcode = 'SVC01',
      detail = json_build_object('reason', format('the name %s is that of %s', _name,
        (select file from svc.plugin where name = _name)))::text;
  elsif _plugin ->> 'author' is not null and _author is null then
    raise exception 'PLUGIN_INVALID' using errcode = 'SVC01',
      detail = json_build_object('reason', format('its author %s is no account here', _plugin ->> 'author'))::text;
  elsif exists (select from svc.plugin where file = _file and version = _version and fault is null) then
    return false;
  end if;
  insert into svc.plugin_version (version, name, declaration, code) values (_version, _name, _plugin -> 'declaration', _code)
    on conflict (version) do update set retired_at = null;
  insert into svc.plugin (file, name, version, author_id, share_percent)
    values (_file, _name, _version, _author, (_plugin ->> 'percent')::integer)
    on conflict (file) do update set name = excluded.name, version = excluded.version, author_id = excluded.author_id,
      share_percent = excluded.share_percent, fault = null, fault_version = null, changed_at = now();
  perform plugin.retire();
  perform pg_notify('changed', 'plugin');
  return true;
end $$;

-- The account of an author, who is named by its id or by a wallet.
create or replace function plugin.find_author(_author text) returns uuid language sql stable as $$
  select id from svc.account
    where id = case when _author ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then _author::uuid end
  union all
  select account_id from svc.wallet where address = lower(_author)
  limit 1
$$;

-- Notes why the content of a file is refused. A version that is in service stays.
create or replace function plugin.refuse(_file text, _version text, _fault text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('plugins'));
  if exists (select from svc.plugin where file = _file and fault_version = _version and fault = _fault) then
    return false;
  end if;
  insert into svc.plugin (file, fault, fault_version) values (_file, _fault, _version)
    on conflict (file) do update set fault = excluded.fault, fault_version = excluded.fault_version, changed_at = now();
  perform pg_notify('changed', 'plugin');
  return true;
end $$;

-- Takes what a file declared out of service, because it is gone or, with a fault, because a release of ours has its name.
create or replace function plugin.remove(_file text, _fault text) returns boolean language plpgsql as $$
declare
  _version text;
begin
  perform pg_advisory_xact_lock(hashtext('plugins'));
  select version into _version from svc.plugin where file = _file;
  if not found or (_fault is not null and _version is null) then
    return false;
  elsif _fault is null then
    delete from svc.plugin where file = _file;
  else
    update svc.plugin set name = null, version = null, author_id = null, share_percent = null, fault = _fault,
      fault_version = _version, changed_at = now() where file = _file;
  end if;
  perform plugin.retire();
  perform pg_notify('changed', 'plugin');
  return true;
end $$;

-- A job may wait and run for hours with the version that it began with, so versions are kept for two days.
create or replace function plugin.retire() returns void language sql as $$
  update svc.plugin_version v set retired_at = now()
    where retired_at is null and not exists (select from svc.plugin p where p.version = v.version);
  delete from svc.plugin_version where retired_at < now() - interval '2 days'
$$;

create or replace function plugin.list()
returns table (file text, name text, version text, fault text, fault_version text, author_id uuid, share_percent integer,
  changed_at timestamptz, declaration json) language sql stable as $$
  select p.file, p.name, p.version, p.fault, p.fault_version, p.author_id, p.share_percent, p.changed_at, v.declaration
  from svc.plugin p left join svc.plugin_version v using (version) order by p.file
$$;

create or replace function plugin.read_version(_version text)
returns table (name text, declaration json, code bytea) language sql stable as $$
  select v.name, v.declaration, v.code from svc.plugin_version v where v.version = _version
$$;

-- The money of an author goes where the account has gone.
create or replace function plugin.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.plugin set author_id = _to where author_id = _from
$$;
