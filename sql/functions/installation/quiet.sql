create or replace function installation.read() returns json language sql stable as $$
  select json_build_object('id', i.id, 'quietSince', i.quiet_since, 'restoredFrom', i.restored_from,
    'isRestoring', to_regclass('public.coinop_restore') is not null) from svc.installation i
$$;

-- Makes a restored database an installation of its own. It is quiet unless it replaces the one that it was copied from.
create or replace function installation.found(_backup text, _is_quiet boolean) returns void language sql as $$
  delete from svc.backup;
  update svc.installation set id = gen_random_uuid(), restored_from = _backup, quiet_since = case when _is_quiet then now() end;
$$;

-- Makes it quiet, or lets it settle, send and ask again. False if it was so already. What is made quiet is a copy, which gets an id
-- of its own.
create or replace function installation.set_quiet(_is_quiet boolean) returns boolean language plpgsql as $$
begin
  update svc.installation set quiet_since = case when _is_quiet then now() end,
    id = case when _is_quiet then gen_random_uuid() else id end where (quiet_since is not null) <> _is_quiet;
  if found then
    perform pg_notify('changed', 'installation');
  end if;
  return found;
end $$;
