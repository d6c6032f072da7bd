-- Identities that wait for a decision, without what they show.

create view admin.identity_review as
  select v.id, v.account_id, v.created_at, v.state, v.state_at from svc.idverify v where v.state = 'manual_review';
comment on view admin.identity_review is E'@primaryKey id\n@foreignKey (account_id) references admin.account (id)|@fieldName account|@foreignFieldName identityReviews\nIdentities that wait for a decision.';
