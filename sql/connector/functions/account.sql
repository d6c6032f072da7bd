create or replace function connector.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(to_jsonb(c) - '{key_hash,account_id}'::text[] order by c.created_at, c.id), '[]')
  from svc.connector c where c.account_id = _account
$$;

create or replace function connector.erase_account(_account uuid) returns void language plpgsql as $$
declare
  _ids uuid[] := array(select id from svc.connector where account_id = _account order by id for update);
begin
  delete from svc.oauth_token where connector_id = any (_ids);
  delete from svc.oauth_code where connector_id = any (_ids);
  delete from svc.connector where id = any (_ids);
end $$;

create or replace function connector.count_due() returns bigint language sql stable as $$
  select count(*) from svc.oauth_token where expires_at < now()
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function connector.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.connector c set account_id = _to where c.account_id = _from and (c.revoked_at is not null
    or not exists (select from svc.connector o where o.account_id = _to and o.client_id = c.client_id and o.revoked_at is null));
$$;
