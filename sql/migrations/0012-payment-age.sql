-- Only authorizations that were drawn down are swept: those with a chunk would stand before them in the index for good.
drop index svc.payment_age;
create index payment_age on svc.payment (created_at) where chunk_id is null;
