create or replace function notification.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(notification.show(n) order by n.created_at, n.id), '[]') from svc.notification n
  where n.account_id = _account
$$;

create or replace function notification.erase_account(_account uuid) returns void language sql as $$
  delete from svc.notification where account_id = _account
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function notification.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.notification n set account_id = _to where n.account_id = _from
    and not exists (select from svc.notification o where o.account_id = _to and o.name = n.name and o.key = n.key);
$$;
