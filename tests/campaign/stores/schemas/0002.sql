BEGIN TRANSACTION;
CREATE TABLE access_keys (
	digest TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	role TEXT NOT NULL, 
	campaign TEXT, 
	holder TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	expires DOUBLE, 
	PRIMARY KEY (digest)
);
INSERT INTO "access_keys" VALUES('0000000000000000000000000000000000000000000000000000000000000000','session','worker','released','wörker 3',1700000000.0,NULL);
CREATE TABLE campaigns (
	id TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	last BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "campaigns" VALUES('released',1700000000.125,18);
CREATE TABLE events (
	campaign TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	at DOUBLE NOT NULL, 
	kind TEXT NOT NULL, 
	worker TEXT, 
	task TEXT, 
	left_item INTEGER, 
	right_item INTEGER, 
	outcome DOUBLE, 
	seconds DOUBLE, 
	data TEXT, 
	PRIMARY KEY (campaign, seq)
)
 WITHOUT ROWID

;
INSERT INTO "events" VALUES('released',1,1700000000.125,'created',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',2,1700000000.25,'settings_changed',NULL,'task-2',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',3,1700000000.375,'item_added','wörker 3',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',4,1700000000.5,'item_retired',NULL,'task-4',4,5,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',5,1700000000.625,'item_restored',NULL,NULL,NULL,NULL,0.2,1.0e-300,NULL);
INSERT INTO "events" VALUES('released',6,1700000000.75,'issued','wörker 6','task-6',NULL,NULL,NULL,NULL,'{"item":"na\u00efve \ud83d\ude00","numbers":[1,2.5,null],"deep":{"a":true}}');
INSERT INTO "events" VALUES('released',7,1700000000.875,'answered',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',8,1700000001.0,'undone',NULL,'task-8',8,9,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',9,1700000001.125,'skipped','wörker 9',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',10,1700000001.25,'expired',NULL,'task-10',NULL,NULL,0.1,1.0e-300,NULL);
INSERT INTO "events" VALUES('released',11,1700000001.375,'imported',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',12,1700000001.5,'worker_banned','wörker 12','task-12',12,13,NULL,NULL,'{"item":"na\u00efve \ud83d\ude00","numbers":[1,2.5,null],"deep":{"a":true}}');
INSERT INTO "events" VALUES('released',13,1700000001.625,'worker_restored',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',14,1700000001.75,'paused',NULL,'task-14',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',15,1700000001.875,'resumed','wörker 15',NULL,NULL,NULL,6.66666666666666657414e-02,1.0e-300,NULL);
INSERT INTO "events" VALUES('released',16,1700000002.0,'enough',NULL,'task-16',16,17,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',17,1700000002.125,'closed',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES('released',18,1700000002.25,'reset','wörker 18','task-18',NULL,NULL,NULL,NULL,'{"item":"na\u00efve \ud83d\ude00","numbers":[1,2.5,null],"deep":{"a":true}}');
CREATE TABLE hodgerank_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT hodgerank_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "hodgerank_revision" VALUES('0002');
COMMIT;
