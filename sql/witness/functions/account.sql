create or replace function witness.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(to_jsonb(w) - 'account_id' order by w.witnessed_at), '[]')
  from svc.witness w where w.account_id = _account
$$;

create or replace function witness.erase_account(_account uuid) returns void language sql as $$
  delete from svc.witness where account_id = _account
$$;
