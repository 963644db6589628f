import { ALICE, BOB, type RunningServer } from './calendar-server.ts';
import { startDatabase } from './databases.ts';
import { freePort, run, start } from './processes.ts';

const USERS = `
create table sogo_users (c_uid varchar(64) primary key, c_name varchar(64), c_password varchar(255), c_cn varchar(128), mail varchar(128));
insert into sogo_users values ${[ALICE, BOB]
  .map(
    ({ username, password, email }) => `('${username}', '${username}', md5('${password}'), '${username}', '${email}')`,
  )
  .join(', ')};
`;

/** Options by their names, of which each table of the database is one. */
function optionsOf(port: number, database: string): readonly string[] {
  const users = `({type=sql;id=users;viewURL="${database}/sogo_users";canAuthenticate=YES;isAddressBook=YES;displayName=users;userPasswordAlgorithm=md5;})`;
  const options = {
    WONoDetach: 'YES',
    WOLogFile: '-',
    WOPort: `127.0.0.1:${port}`,
    WOWorkersCount: '1',
    SOGoMemcachedHost: '127.0.0.1:1',
    SOGoTimeZone: 'UTC',
    SOGoMailDomain: 'example.org',
    SOGoProfileURL: `${database}/sogo_user_profile`,
    OCSFolderInfoURL: `${database}/sogo_folder_info`,
    OCSSessionsFolderURL: `${database}/sogo_sessions_folder`,
    OCSEMailAlarmsFolderURL: `${database}/sogo_alarms_folder`,
    OCSStoreURL: `${database}/sogo_store`,
    OCSAclURL: `${database}/sogo_acl`,
    OCSCacheFolderURL: `${database}/sogo_cache_folder`,
    SOGoUserSources: users,
  };
  return Object.entries(options).flatMap(([name, value]) => [`-${name}`, value]);
}

/** Starts SOGo as its own user, with a PostgreSQL of its own. The caller must be root. */
export async function startSogo(folder: string): Promise<RunningServer> {
  const { server, port: databasePort, environment } = await startDatabase();
  try {
    const psql = (database: string, sql: string, user = 'postgres') =>
      run({ folder, environment }, 'psql', '-q', '-v', 'ON_ERROR_STOP=1', '-U', user, '-d', database, '-c', sql);
    await psql('postgres', "create user sogo password 'sogo'");
    await psql('postgres', 'create database sogo owner sogo template template0 encoding UTF8');
    await psql('sogo', USERS, 'sogo');
    await run({ folder }, 'chown', '-R', 'sogo', folder);
    const port = await freePort();
    const options = optionsOf(port, `postgresql://sogo:sogo@127.0.0.1:${databasePort}/sogo`);
    const asSogo = ['--reuid', 'sogo', '--regid', 'sogo', '--init-groups'];
    const daemon = await start(
      { folder, environment: { HOME: folder } },
      'setpriv',
      ...asSogo,
      '/usr/sbin/sogod',
      '-WOPidFile',
      `${folder}/pid`,
      ...options,
    );
    const url = `http://127.0.0.1:${port}/SOGo/dav/`;
    await daemon.answers(url);
    const stop = async () => {
      // Its workers have sessions of their own, and a polite end takes them up to twenty seconds.
      await run({ folder }, 'sh', '-c', `kill -9 $(pgrep -P ${daemon.pid}) ${daemon.pid}`);
      await daemon.stop('SIGKILL');
      await server.stop();
    };
    return { name: 'sogo', url, alice: ALICE, bob: BOB, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
