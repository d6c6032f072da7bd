create or replace function notification.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(notification.show(n) order by n.created_at, n.id), '[]') from svc.notification n
  where n.account_id = _account
$$;

create or replace function notification.erase_account(_account uuid) returns void language sql as $$
  delete from svc.notification where account_id = _account
$$;
