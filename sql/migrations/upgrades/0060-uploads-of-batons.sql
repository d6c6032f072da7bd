-- An upload through the api is taken over when it arrives, so its baton is found by the key of its form.
create index baton_of_upload on svc.baton (upload_key) where upload_key is not null;

-- A baton whose file is still to be taken over has to be sealed too.
drop index svc.baton_to_seal;
create index baton_to_seal on svc.baton (expires_at)
  where witness_prepaid and witnessed_at is null and deleted_at is null and purge_at is not null
    and (entry_count > 0 or upload_key is not null);

-- Their results are others now, and the result of a function that stands cannot be changed.
drop function if exists baton.find_source(json, json);
drop function if exists baton.adopt_upload(uuid, text, json);
drop function if exists witness.prepare(json, boolean);
drop function if exists baton.drop_upload(text);
