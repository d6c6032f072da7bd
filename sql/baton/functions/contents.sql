-- The stored objects of batons with their hashes.
create or replace function baton.list_contents() returns table (key text, sha256 text) language sql stable as $$
  select e.object_key, encode(e.sha256, 'hex') from svc.baton_entry e where e.object_key is not null
$$;
