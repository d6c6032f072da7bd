create or replace function mailbox.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(l || jsonb_build_object('messages', (
      select coalesce(json_agg(to_jsonb(m) - '{body,sha256,lease_id}'::text[]
        || jsonb_build_object('body', encode(m.body, 'base64')) order by m.id), '[]')
      from svc.mailbox_message m where m.lease_id = (l ->> 'id')::uuid))), '[]')
  from lease.export_account(_account, 'mailbox') l
$$;
