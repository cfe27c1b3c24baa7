mod guide;
