-- What screening the person came to: its status, and the screening that has more.
alter table svc.idverify add column aml json;
