-- What an account has of webhooks, without their secrets.
create or replace function webhook.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(to_jsonb(e) - '{secret,former_secret,account_id}'::text[] || jsonb_build_object('deliveries',
      (select coalesce(json_agg(to_jsonb(d) - 'worker_id' order by d.sequence), '[]') from svc.webhook_delivery d
        where d.endpoint_id = e.id)) order by e.created_at, e.id), '[]')
  from svc.webhook_endpoint e where e.account_id = _account
$$;

create or replace function webhook.erase_account(_account uuid) returns void language plpgsql as $$
declare
  _ids uuid[] := array(select id from svc.webhook_endpoint where account_id = _account order by id for update);
begin
  delete from svc.webhook_delivery where endpoint_id = any (_ids);
  delete from svc.webhook_endpoint where id = any (_ids);
end $$;
