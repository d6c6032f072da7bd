-- Deletes channels that were over a day ago, with all they hold. Returns how many.
create or replace function channel.forget(_limit integer) returns bigint language sql as $$
  with gone as (
    delete from svc.channel where id in (select id from svc.channel
      where least(expires_at, closed_at) < now() - interval '1 day' limit _limit for update skip locked) returning 1)
  select count(*) from gone
$$;

create or replace function channel.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(channel.show(c)::jsonb || jsonb_build_object('tokens', channel.list_tokens(c.id), 'content', (
      select coalesce(json_agg(channel.show_message(m) order by m.seq), '[]') from svc.channel_message m where m.channel_id = c.id))
    order by c.created_at, c.id), '[]') from svc.channel c where c.account_id = _account
$$;

create or replace function channel.erase_account(_account uuid) returns void language sql as $$
  delete from svc.channel where account_id = _account
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function channel.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.channel set account_id = _to where account_id = _from;
$$;
