create or replace function handoff.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(to_jsonb(h) - '{token_hash,pin_hash,account_id}'::text[] order by h.created_at, h.id), '[]')
  from svc.handoff h where h.account_id = _account
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function handoff.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.handoff set account_id = _to where account_id = _from;
$$;
