create or replace function handoff.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(to_jsonb(h) - '{token_hash,pin_hash,account_id}'::text[] order by h.created_at, h.id), '[]')
  from svc.handoff h where h.account_id = _account
$$;
