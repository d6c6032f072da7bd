create or replace function witness.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(to_jsonb(w) - 'account_id' order by w.witnessed_at), '[]')
  from svc.witness w where w.account_id = _account
$$;

create or replace function witness.erase_account(_account uuid) returns void language sql as $$
  delete from svc.witness where account_id = _account
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function witness.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.witness set account_id = _to where account_id = _from;
$$;
