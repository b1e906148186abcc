-- JSON: the shape of the code, and a keyed hash of the recipient. Null in challenges of earlier releases.
alter table pombo.challenges add column terms text;
grant update (terms) on pombo.challenges to pombo_tenant;
