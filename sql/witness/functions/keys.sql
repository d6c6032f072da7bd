-- Decision 0090: sign what a baton holds with one key.

create or replace function witness.show_key(_key svc.signing_key) returns json language sql stable as $$
  select json_build_object('kid', _key.kid, 'x', _key.x, 'sealed', _key.sealed, 'createdAt', _key.created_at,
    'retiredAt', _key.retired_at)
$$;

-- All keys, the current one first.
create or replace function witness.list_keys() returns json language sql stable as $$
  select coalesce(json_agg(witness.show_key(k) order by k.retired_at desc nulls first), '[]') from svc.signing_key k
$$;

create or replace function witness.current_key() returns json language sql stable as $$
  select witness.show_key(k) from svc.signing_key k where k.retired_at is null
$$;

-- Adds the first key. Of several processes that try at once one succeeds; all of them get its key.
create or replace function witness.add_first_key(_kid text, _x text, _sealed text) returns json language plpgsql as $$
begin
  insert into svc.signing_key (kid, x, sealed) values (_kid, _x, _sealed)
    on conflict ((retired_at is null)) where retired_at is null do nothing;
  return witness.current_key();
end $$;

-- Retires the current key in favour of another. A key that was retired before cannot come back.
create or replace function witness.replace_key(_kid text, _x text, _sealed text) returns json language plpgsql as $$
begin
  lock table svc.signing_key in share row exclusive mode;
  if exists (select from svc.signing_key where kid = _kid) then
    return null;
  end if;
  update svc.signing_key set retired_at = clock_timestamp() where retired_at is null;
  insert into svc.signing_key (kid, x, sealed) values (_kid, _x, _sealed);
  perform pg_notify('changed', 'signing_key');
  return witness.current_key();
end $$;
