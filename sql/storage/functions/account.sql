-- The files themselves are listed as objects.
create or replace function storage.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(l || jsonb_build_object('file', (
      select to_jsonb(c) - 'lease_id' from svc.lease_content c where c.lease_id = (l ->> 'id')::uuid))), '[]')
  from lease.export_account(_account, 'storage') l
$$;
