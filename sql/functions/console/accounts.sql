-- Accounts by a part of their name, or by an id, an address of mail, a wallet, a prefix of a key or a job.
create or replace function console.search_accounts(_text text, _first integer, _offset integer) returns setof admin.account
language plpgsql stable as $$
begin
  return query select * from admin.account a
    where _text = '' or a.id::text = lower(_text) or a.name ilike '%' || replace(replace(_text, '\', '\\'), '%', '\%') || '%'
      or exists (select from svc.identity i where i.account_id = a.id and (i.email = lower(_text) or i.subject = _text))
      or exists (select from svc.wallet w where w.account_id = a.id and w.address = lower(_text))
      or exists (select from svc.api_key k where k.account_id = a.id and starts_with(_text, k.prefix))
      or exists (select from svc.job j where j.id::text = lower(_text) and j.account_id = a.id)
    order by a.created_at desc, a.id limit _first offset _offset;
end $$;

-- What an account is before or after an act, for the log of operators, which outlasts its erasure: without names and addresses.
create or replace function console.require_account(_account uuid) returns jsonb language plpgsql stable as $$
declare
  _found jsonb := (select to_jsonb(a) - '{name,identities,wallets}'::text[] from admin.account a where a.id = _account);
begin
  if _found is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _found;
end $$;

-- Whatever moves money or stops a caller needs a reason.
create or replace function console.require_reason(_reason text) returns void language plpgsql as $$
begin
  if coalesce(btrim(_reason), '') = '' then
    raise exception 'MISSING_FIELD' using errcode = 'SVC01', detail = json_build_object('field', 'reason')::text;
  end if;
end $$;

create or replace function console.record_account(_action text, _account uuid, _before jsonb, _reason text) returns admin.account
language plpgsql as $$
declare
  _after admin.account;
begin
  perform operator.record(_action, _account::text, _before, console.require_account(_account), _reason);
  select * into _after from admin.account a where a.id = _account;
  return _after;
end $$;

-- Lets an operator see the pages of an account, without the right to change anything.
create or replace function console.view_account(_account uuid, _link bytea, _reason text) returns void language plpgsql volatile as $$
begin
  perform operator.require('support');
  perform console.require_reason(_reason);
  perform console.require_account(_account);
  perform session.create_view_link(_link, _account, current_setting('operator.name'));
  perform operator.record('account.view', _account::text, null, null, _reason);
end $$;

create or replace function console.find_key(_account uuid, _prefix text) returns admin.api_key language sql stable as $$
  select * from admin.api_key k where k.account_id = _account and k.prefix = _prefix and k.revoked_at is null and k.ends_at is null
    and not k.is_connector
$$;
