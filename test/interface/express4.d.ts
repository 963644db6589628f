// Express 4 is installed beside 5 under another name; for what the tests do, its types are those of 5.
declare module 'express4' {
  import express from 'express';
  export default express;
}
