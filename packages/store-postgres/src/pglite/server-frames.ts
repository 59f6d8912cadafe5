/** The frames that the in-process end of a connection writes itself, without asking the database. */

const parameters: readonly (readonly [string, string])[] = [
  ["server_version", "18.7"],
  ["server_encoding", "UTF8"],
  ["client_encoding", "UTF8"],
  ["DateStyle", "ISO, MDY"],
  ["integer_datetimes", "on"],
  ["standard_conforming_strings", "on"],
];

/** AuthenticationOk, parameters, BackendKeyData, ReadyForQuery: the answer to a startup packet. */
export function startupReply(connection: number): Buffer {
  const key = Buffer.alloc(8);
  key.writeInt32BE(connection, 0);
  return Buffer.concat([
    frame("R", Buffer.alloc(4)),
    ...parameters.map(([name, value]) => frame("S", Buffer.from(`${name}\0${value}\0`))),
    frame("K", key),
    frame("Z", Buffer.from("I")),
  ]);
}

/** A fatal ErrorResponse: the client fails what it has in hand with this SQLSTATE. */
export function fatalReply(sqlState: string, message: string): Buffer {
  const fields = `SFATAL\0VFATAL\0C${sqlState}\0M${message}\0\0`;
  return frame("E", Buffer.from(fields));
}

function frame(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(type, 0, "latin1");
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}
