-- Where what an account had has gone, when its wallet joined another. Its audit entries name it for ever.
alter table svc.account add column moved_to uuid references svc.account (id);
create index account_moved on svc.account (moved_to) where moved_to is not null;

-- It has another name now, by which wallet.link finds it.
drop function if exists pipeline.move(uuid, uuid);
