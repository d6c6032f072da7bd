-- Sealed documents are outputs that further calls take, kept as long as their envelope.
update svc.object set kind = 'output', expires_at = now() + interval '100 years'
  where kind = 'signing' and key in (select object_key from svc.envelope_output);

-- What a batch was asked for by, so that a repeat of the call makes no second one.
alter table svc.envelope_batch add column request_hash text;

drop function if exists esigndoc.is_drawn(text, integer, integer);
