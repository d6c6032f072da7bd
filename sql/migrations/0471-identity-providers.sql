-- Who verifies a person in place of this service: the provider, its session, and the link to it, encrypted.
alter table svc.idverify add column provider text;
alter table svc.idverify add column provider_ref text;
alter table svc.idverify add column provider_url text;
-- The last attempt of the person there that was refused, so that none is counted twice.
alter table svc.idverify add column provider_attempt text;
alter table svc.idverify add column polled_at timestamptz;
alter table svc.idverify add constraint idverify_provider_session check (provider is not null or provider_ref is null);
create unique index idverify_by_provider on svc.idverify (provider, provider_ref) where provider_ref is not null;

-- Further images of a face, in their order.
alter table svc.idverify_image drop constraint idverify_image_side_check;
alter table svc.idverify_image add constraint idverify_image_side_check
  check (side in ('front', 'back', 'selfie', 'frame1', 'frame2', 'frame3', 'frame4', 'frame5'));
