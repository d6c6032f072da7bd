-- What a batch was asked for by, so that a repeat of the call makes no second one.
alter table svc.envelope_batch add column request_hash text;

drop function if exists esigndoc.is_drawn(text, integer, integer);
