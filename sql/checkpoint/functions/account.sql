create or replace function checkpoint.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(l || jsonb_build_object('versions', (
      select coalesce(json_agg(to_jsonb(v) - '{body,lease_id}'::text[]
        || jsonb_build_object('body', encode(v.body, 'base64')) order by v.version), '[]')
      from svc.checkpoint_version v where v.lease_id = (l ->> 'id')::uuid))), '[]')
  from lease.export_account(_account, 'checkpoint') l
$$;
