-- Decision 0440: sign what is sealed outside of the process that reads it.

create or replace function esigndoc.show_seal_key(_key svc.seal_key) returns json language sql stable as $$
  select json_build_object('kid', _key.kid, 'certificate', _key.certificate, 'sealed', _key.sealed, 'root', _key.root,
    'sealedRoot', _key.sealed_root)
$$;

create or replace function esigndoc.current_seal_key() returns json language sql stable as $$
  select esigndoc.show_seal_key(k) from svc.seal_key k where k.retired_at is null
$$;

-- The roots of all keys that have ever sealed here, the newest first.
create or replace function esigndoc.list_seal_roots() returns json language sql stable as $$
  select coalesce(json_agg(r.root order by r.created_at desc), '[]')
    from (select root, max(created_at) as created_at from svc.seal_key group by root) r
$$;

-- Makes a key the current one, unless another has replaced `_old` meanwhile. All that try at once get the same key.
create or replace function esigndoc.replace_seal_key(
  _old text, _kid text, _certificate text, _sealed text, _root text, _sealed_root text
) returns json language plpgsql as $$
begin
  lock table svc.seal_key in share row exclusive mode;
  if (select kid from svc.seal_key where retired_at is null) is not distinct from _old then
    update svc.seal_key set retired_at = clock_timestamp() where retired_at is null;
    insert into svc.seal_key (kid, certificate, sealed, root, sealed_root)
      values (_kid, _certificate, _sealed, _root, _sealed_root);
  end if;
  return esigndoc.current_seal_key();
end $$;
